// The guarded-command language for reactive controllers.
//
// Ends of lines separate, but no rule mentions them: nothing that begins an item or a statement can continue
// the one before it, so the parser finds the borders by itself, and the next stage checks that a line end or
// a `;` stands at each of them. The grammar is a little wider than the language (any expression may be
// assigned to, types may be any expression), so that the next stage can refuse with a message that names the
// reason.
grammar Gcl;

model : ( item | ';' )* EOF ;

item
    : 'system' Name
    | 'const' Name '=' start
    | 'enum' Name '{' Name ( ',' Name )* ','? '}'
    | 'type' Name '=' typeName
    | 'input' Name ':' typeName
    | 'var' Name ':' typeName ( '=' start | 'in' expression ( ',' expression )* )?
    | 'define' Name '=' expression
    | 'proc' Name '(' ( parameter ( ',' parameter )* )? ')' block
    | 'step' block
    | 'property' Name ':' judgement expression expectation?
    | 'assume' 'always' expression
    ;

start
    : '[' expression ( ',' expression )* ','? ']'
    | expression
    ;

parameter : Name ':' typeName ;

// A range, `bool`, `int`, an enumeration, or an array of these; `Motion[3]` parses as an expression.
typeName
    : '(' typeName ')' ( '[' expression ']' )?
    | ( 'bool' | 'int' ) ( '[' expression ']' )?
    | expression ( '..' expression )?
    ;

judgement : 'always' | 'never' | 'reach' ;

expectation : 'expect' ( 'holds' | 'violated' ) ;

block : '{' ( statement | ';' )* '}' ;

statement
    : conditional
    | plainStatement
    ;

conditional : 'if' expression block elseIf* otherwise? ;

elseIf : 'else' 'if' expression block ;

otherwise : 'else' plainStatement ;

// What may follow a final `else`: everything but `if`, which `elseIf` has taken.
plainStatement
    : block
    | 'choose' '{' ( alternative | ';' )* '}'
    | 'match' expression '{' ( matchCase | ';' )* '}'
    | 'for' Name 'in' expression '..' expression block
    | 'assume' expression
    | 'assert' ( Name ':' )? expression
    | 'error' Name
    | 'havoc' place
    | Name '(' ( expression ( ',' expression )* )? ')'
    | place '=' expression
    ;

alternative
    : 'when' expression '=>' statement
    | 'otherwise' '=>' statement
    ;

matchCase
    : pattern ( ',' pattern )* '=>' statement
    | 'otherwise' '=>' statement
    ;

pattern : expression ( '..' expression )? ;

place : Name ( '[' expression ']' )? ;

expression
    : Name '[' expression ']'
    | Name '(' ( expression ( ',' expression )* )? ')'
    | '(' expression ')'
    | ( 'true' | 'false' )
    | Name
    | Number
    | 'prev' '(' expression ')'
    | ( '-' | '+' | '!' | '~' ) expression
    | expression ( '*' | '/' | '%' ) expression
    | expression ( '+' | '-' ) expression
    | expression ( '<<' | '>>' ) expression
    | expression ( '<' | '<=' | '>' | '>=' ) expression
    | expression 'in' expression '..' expression
    | expression ( '==' | '!=' ) expression
    | expression '&' expression
    | expression '^' expression
    | expression '|' expression
    | ( 'once' | 'historically' ) expression
    | expression '&&' expression
    | expression '||' expression
    | expression 'since' expression
    | <assoc=right> expression '->' expression
    | expression '<->' expression
    | 'if' expression 'then' expression 'else' expression
    | ( 'all' | 'any' ) Name 'in' expression '..' expression ':' expression
    // `count` and `sum`, which may be names elsewhere.
    | Name Name 'in' expression '..' expression ':' expression
    ;

Name : [a-zA-Z_] [a-zA-Z_0-9]* ;

Number : [0-9] [a-zA-Z_0-9]* ;

LineComment : '//' ~[\r\n]* -> channel(HIDDEN) ;

BlockComment : '/*' .*? '*/' -> channel(HIDDEN) ;

UnclosedComment : '/*' ;

Space : [ \t\r\n\f\u000B]+ -> skip ;

// Whatever else stands in the text is a token that no rule accepts: nothing is dropped without a message.
Unknown : . ;
