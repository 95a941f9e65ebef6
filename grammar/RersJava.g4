// The Java that RERS challenge programs of 2012 to 2020 are written in.
//
// The rules are flat: an `else if` chain is a repetition, and the operators of an expression are a list, whose structure
// our own code finds by precedence, since guards are conjunctions of over a hundred parts. The grammar is a little wider
// than the subset (any class may be named, anything may be called), so that the next stage can refuse with a message
// that names the reason.
grammar RersJava;

compilationUnit : importDeclaration* classDeclaration* EOF ;

importDeclaration : 'import' Name ( '.' Name )* ( '.' '*' )? ';' ;

classDeclaration : modifier* 'class' Name '{' member* '}' ;

member
    : method
    | declaration
    | ';'
    ;

method : modifier* type Name '(' parameters? ')' throwsClause? block ;

throwsClause : 'throws' Name ( ',' Name )* ;

parameters : parameter ( ',' parameter )* ;

parameter : type Name ;

modifier : 'public' | 'private' | 'protected' | 'static' | 'final' ;

type : ( 'int' | 'boolean' | 'void' | ForeignType | Name ) ( '[' ']' )* ;

declaration : modifier* type declarator ( ',' declarator )* ';' ;

declarator : Name ( '=' initializer )? ;

initializer
    : expression
    | '{' ( initializer ( ',' initializer )* ','? )? '}'
    ;

block : '{' statement* '}' ;

statement
    : conditional
    | plainStatement
    ;

// What may follow a final `else`: everything but `if`, which `elseIf` has taken.
plainStatement
    : block
    | declaration
    | loop
    | attempt
    | throwStatement
    | returnStatement
    | effect
    | ';'
    ;

conditional : 'if' '(' expression ')' statement elseIf* otherwise? ;

elseIf : 'else' 'if' '(' expression ')' statement ;

otherwise : 'else' plainStatement ;

loop : 'while' '(' expression ')' statement ;

attempt : 'try' block 'catch' '(' Name Name ')' block ;

throwStatement : 'throw' expression ';' ;

returnStatement : 'return' expression? ';' ;

// A call or an assignment.
effect : expression ( assignment expression )? ';' ;

assignment : '=' | '+=' | '-=' | '*=' | '/=' | '%=' ;

expression : operand ( operator operand )* ( '?' expression ':' expression )? ;

operator
    : '*' | '/' | '%' | '+' | '-' | '<' | '<=' | '>' | '>=' | '==' | '!=' | '&&' | '||'
    ;

operand : sign* primary suffix* ;

sign : '-' | '+' | '!' ;

primary
    : '(' expression ')'
    | 'new' Name arguments
    | Name arguments?
    | Number
    | String
    | 'true' | 'false' | 'null'
    ;

suffix
    : '[' expression ']'
    | '.' Name arguments?
    ;

arguments : '(' ( expression ( ',' expression )* )? ')' ;

// Java's other types parse wherever a type may stand and are refused by name afterwards.
ForeignType : 'byte' | 'short' | 'long' | 'char' | 'float' | 'double' ;

// Keywords and signs that no rule uses: a program that needs them gets a message that says so.
ForeignKeyword
    : 'abstract' | 'assert' | 'break' | 'case' | 'const' | 'continue' | 'default' | 'do' | 'enum' | 'extends'
    | 'finally' | 'for' | 'goto' | 'implements' | 'instanceof' | 'interface' | 'native' | 'package' | 'strictfp'
    | 'super' | 'switch' | 'synchronized' | 'this' | 'transient' | 'volatile'
    ;

ForeignSign
    : '++' | '--' | '&' | '|' | '^' | '~' | '<<' | '>>' | '>>>' | '&=' | '|=' | '^=' | '<<=' | '>>=' | '>>>=' | '->'
    | '::' | '@' | '...'
    ;

Name : [a-zA-Z_$] [a-zA-Z_$0-9]* ;

Number : [0-9] [a-zA-Z_0-9.]* ;

String : '"' ( '\\' . | ~["\\\r\n] )* '"' ;

LineComment : '//' ~[\r\n]* -> channel(HIDDEN) ;

BlockComment : '/*' .*? '*/' -> channel(HIDDEN) ;

UnclosedComment : '/*' ;

Space : [ \t\r\n\f]+ -> skip ;

// Whatever else stands in the text is a token that no rule accepts: nothing is dropped without a message.
Unknown : . ;
