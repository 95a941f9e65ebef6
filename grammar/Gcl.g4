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
    : 'system' name
    | 'import' Text
    | 'const' name '=' expression
    | 'enum' name '{' name ( ',' name )* ','? '}'
    | 'type' name '=' typeName
    | 'record' name '{' ( field | ',' | ';' )* '}'
    | 'fair'? 'input' name ':' typeName
    | 'var' name ':' typeName ( '=' expression | 'in' expression ( ',' expression )* )?
    | 'define' name parameters? '=' expression
    | 'proc' name parameters block
    | 'step' block
    | 'property' name ':' judgement? expression expectation?
    | 'expect' reference verdict
    | 'assume' 'always' expression
    | 'assume' 'fair' expression ( 'when' expression )?
    | 'module' name parameters '{' ( item | ';' )* '}'
    | 'instance' name ( '[' name 'in' range ']' )? ':' name arguments
    ;

// Words that begin something only where nothing else can stand are names everywhere else.
name
    : Name | 'import' | 'record' | 'module' | 'instance' | 'let' | 'fair' | 'often' | 'ctl' | 'resettable'
    | 'EX' | 'EF' | 'EG' | 'EU' | 'AX' | 'AF' | 'AG' | 'AU'
    ;

field : name ':' typeName ( '=' expression )? ;

parameters : '(' ( parameter ( ',' parameter )* )? ')' ;

parameter : 'var'? name ':' typeName ;

// A range, `bool`, `int`, a type of the model, or an array of these; `Motion[3]` parses as an expression.
typeName
    : '(' typeName ')' ( '[' expression ']' )*
    | ( 'bool' | 'int' ) ( '[' expression ']' )*
    | expression ( '..' expression )?
    ;

// Without one of these a property is a formula about time, such as `request ~> grant`.
judgement : 'always' | 'never' | 'reach' | 'eventually' | 'infinitely' 'often' | 'ctl' | 'resettable' ;

expectation : 'expect' verdict ;

verdict : 'holds' | 'violated' ;

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
    | 'for' name 'in' range block
    | 'let' name '=' expression
    | 'assume' expression
    | 'assert' ( name ':' )? expression
    | 'error' name
    | 'havoc' reference
    | reference '=' expression
    | reference
    ;

alternative
    : 'fair'? 'when' expression '=>' statement
    | 'otherwise' '=>' statement
    ;

matchCase
    : pattern ( ',' pattern )* '=>' statement
    | 'otherwise' '=>' statement
    ;

pattern : expression ( '..' expression )? ;

// All values of a type, if there is only one expression.
range : expression ( '..' expression )? ;

// A variable, a cell, a field, a part of an instance, or a call.
reference : name arguments? ( '[' expression ']' | '.' name arguments? )* ;

arguments : '(' ( argument ( ',' argument )* )? ')' ;

argument : ( name '=' )? expression ;

expression
    : reference
    | '(' expression ')'
    | '[' expression ( ',' expression )* ','? ']'
    | ( 'true' | 'false' )
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
    | ( 'once' | 'historically' | 'always' | 'never' | 'eventually' ) expression
    | 'infinitely' 'often' expression
    | ( 'EX' | 'EF' | 'EG' | 'AX' | 'AF' | 'AG' ) expression
    | expression 'within' expression
    | expression '&&' expression
    | expression '||' expression
    | expression ( 'since' | 'until' | 'EU' | 'AU' ) expression
    | <assoc=right> expression '->' expression
    | expression '<->' expression
    | expression '~>' expression
    | 'if' expression 'then' expression 'else' expression
    | ( 'all' | 'any' ) name 'in' range ':' expression
    // `count` and `sum`, which may be names elsewhere.
    | name name 'in' range ':' expression
    ;

Name : [\p{L}_] [\p{L}\p{M}\p{N}_]* ;

Number : [0-9] [a-zA-Z_0-9]* ;

Text : '"' ~["\r\n]* '"' ;

LineComment : '//' ~[\r\n]* -> channel(HIDDEN) ;

BlockComment : '/*' .*? '*/' -> channel(HIDDEN) ;

UnclosedComment : '/*' ;

// The byte-order mark that some editors put at the beginning counts as space.
Space : [ \t\r\n\f\u000B\uFEFF]+ -> skip ;

// Whatever else stands in the text is a token that no rule accepts: nothing is dropped without a message.
Unknown : . ;
