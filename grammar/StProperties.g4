// What a comment `(*@ ... @*)` in Structured Text says: properties, assumptions, the time that a cycle takes.
//
// The expressions are those of Structured Text, with operators that look back; those of two operands are one flat
// list, climbed by precedence when the syntax tree is built. The text is what stands between the marks of such a comment, or
// what stands in a comment from `#ASSERT` on.
grammar StProperties;

options { caseInsensitive = true; }

text : item* EOF | '#ASSERT' formula ( ':' label )? ';'? EOF ;

item
    : 'cycle' Duration
    | 'main' name
    | 'assume' 'always'? formula
    | 'property' label ':' judgement? formula ( '~>' formula )? ( 'within' ( Number | Duration ) )? expectation?
    | 'expect' reference verdict
    | ';'
    ;

// What a property is called, which may be any word.
label
    : name | 'always' | 'never' | 'once' | 'historically' | 'since' | 'prev' | 'within' | 'OR' | 'OR_ELSE' | 'XOR' | 'AND'
    | 'AND_THEN' | 'MOD' | 'NOT' | 'TRUE' | 'FALSE'
    ;

judgement : 'always' | 'never' | 'reach' | 'resettable' ;

expectation : 'expect' verdict ;

verdict : 'holds' | 'violated' ;

formula : operand ( operator operand )* ;

operator
    : '<->' | '->' | 'since'
    | 'OR' | '||' | 'OR_ELSE' | 'XOR' | 'AND' | '&' | '&&' | 'AND_THEN'
    | '=' | '==' | '<>' | '!=' | '<' | '<=' | '>' | '>='
    | '+' | '-' | '*' | '/' | 'MOD' | '**'
    ;

operand : ( '-' | '+' | 'NOT' | '!' | 'once' | 'historically' ) operand | primary ;

primary
    : '(' formula ')'
    | 'prev' '(' formula ')'
    | literal
    | place
    ;

reference : name ( '.' name )* ( '(' name ( '.' name )* ')' )? ;

place : '#'? name suffix* ;

suffix
    : '.' ( name | Number )
    | '[' formula ( ',' formula )* ']'
    | '(' ( argument ( ',' argument )* )? ')'
    ;

argument : name ':=' formula | formula ;

literal
    : name '#' '-'? ( Number | Based | Real )
    | name '#' name
    | 'TRUE' | 'FALSE'
    | Number | Based | Real | Duration | Text
    ;

// Words that begin something only where nothing else can stand are names everywhere else.
name : Name | Quoted | 'cycle' | 'main' | 'assume' | 'property' | 'expect' | 'holds' | 'violated' | 'reach' | 'resettable' ;

Name : [\p{L}_] [\p{L}\p{M}\p{N}_]* ;

Quoted : '"' ~["\r\n]* '"' ;

Duration : ( 'T' | 'TIME' | 'LT' | 'LTIME' ) '#' '-'? [0-9] [0-9a-z_.]* ;

Real : [0-9] [0-9_]* '.' [0-9] [0-9_]* ( 'E' [+-]? [0-9]+ )? ;

Based : [0-9]+ '#' [0-9a-z_]+ ;

Number : [0-9] [0-9_]* ;

Text : '\'' ~['\r\n]* '\'' ;

LineComment : '//' ~[\r\n]* -> channel(HIDDEN) ;

BlockComment : '(*' .*? '*)' -> channel(HIDDEN) ;

SlashComment : '/*' .*? '*/' -> channel(HIDDEN) ;

UnclosedComment : '(*' | '/*' ;

// The byte-order mark that some editors put at the beginning counts as space.
Space : [ \t\r\n\f\u000B\uFEFF]+ -> skip ;

Unknown : . ;
