// The C that RERS challenge programs of 2012 to 2020 are written in.
//
// The rules are kept flat on purpose: an `else if` chain is a repetition, not a nest of statements,
// because the real programs have chains of thousands of arms. The grammar is a little wider than the
// subset (any C type name parses, every expression may stand on the left of `=`), so that the next
// stage can refuse with a message that names the reason.
grammar RersC;

translationUnit : item* EOF ;

item
    : routine
    | declaration
    | ';'
    ;

// A function definition or, without a body, a prototype.
routine : specifier+ '*'* Name '(' parameters? ')' attribute* ( block | ';' ) ;

parameters : parameter ( ',' parameter )* ;

parameter : specifier+ '*'* Name? ( '[' ']' )? ;

attribute : '__attribute__' attributeArguments ;

attributeArguments : '(' ( ~( '(' | ')' ) | attributeArguments )* ')' ;

specifier
    : 'int' | 'void' | 'const' | 'extern' | 'static'
    | ForeignType
    ;

declaration : specifier+ declarator ( ',' declarator )* ';' ;

declarator : '*'* Name ( '[' expression? ']' )* ( '=' initializer )? ;

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
    | labelled
    | loop
    | returnStatement
    | effect
    | ';'
    ;

conditional : 'if' '(' expression ')' statement elseIf* otherwise? ;

elseIf : 'else' 'if' '(' expression ')' statement ;

otherwise : 'else' plainStatement ;

labelled : Name ':' statement ;

loop : 'while' '(' expression ')' statement ;

returnStatement : 'return' expression? ';' ;

// A call, an assignment or an increment.
effect : expression ( assignment expression | '++' | '--' )? ';' ;

assignment
    : '=' | '+=' | '-=' | '*=' | '/=' | '%=' | '<<=' | '>>=' | '&=' | '^=' | '|='
    ;

expression
    : Name '(' arguments? ')'                              # call
    | expression '[' expression ']'                        # cell
    | '(' expression ')'                                   # parenthesised
    | Name                                                 # name
    | Number                                               # number
    | Character                                            # character
    | String+                                              # text
    | ( '-' | '+' | '!' | '~' | '*' | '&' ) expression     # unary
    | expression ( '*' | '/' | '%' ) expression            # binary
    | expression ( '+' | '-' ) expression                  # binary
    | expression ( '<<' | '>>' ) expression                # binary
    | expression ( '<' | '<=' | '>' | '>=' ) expression    # binary
    | expression ( '==' | '!=' ) expression                # binary
    | expression '&' expression                            # binary
    | expression '^' expression                            # binary
    | expression '|' expression                            # binary
    | expression '&&' expression                           # binary
    | expression '||' expression                           # binary
    | <assoc=right> expression '?' expression ':' expression  # ternary
    ;

arguments : expression ( ',' expression )* ;

// C's other types parse wherever a type may stand and are refused by name afterwards.
ForeignType
    : 'float' | 'double' | 'char' | 'short' | 'long' | 'unsigned' | 'signed' | 'volatile' | 'register'
    | 'inline' | '_Bool' | 'auto'
    ;

// Keywords that no rule uses: a program that needs them gets a message that says so.
ForeignKeyword
    : 'for' | 'do' | 'switch' | 'case' | 'default' | 'break' | 'continue' | 'goto'
    | 'struct' | 'union' | 'enum' | 'typedef' | 'sizeof' | 'restrict'
    ;

Name : [a-zA-Z_] [a-zA-Z_0-9]* ;

Number : [0-9] [a-zA-Z_0-9.]* ;

Character : '\'' ( '\\' . | ~['\\\r\n] ) '\'' ;

String : '"' ( '\\' . | ~["\\\r\n] )* '"' ;

// Only headers of the system may be passed over; any other directive may change what the text means. The generator of
// 2015 puts the name of such a header in quotes.
Include
    : '#' [ \t]* 'include' [ \t]* ( '<' ~[<>\r\n]+ '>' | '"' StandardHeader '"' ) [ \t]* ( '//' ~[\r\n]* )?
        -> channel(HIDDEN)
    ;

fragment StandardHeader
    : ( 'assert' | 'ctype' | 'errno' | 'limits' | 'math' | 'stdbool' | 'stddef' | 'stdint' | 'stdio' | 'stdlib'
      | 'string' | 'time' ) '.h'
    ;

Directive : '#' RestOfLine ;

LineComment : '//' RestOfLine -> channel(HIDDEN) ;

// A backslash at its end continues a line.
fragment RestOfLine : ( '\\' '\r'? '\n' | ~[\r\n] )* ;

BlockComment : '/*' .*? '*/' -> channel(HIDDEN) ;

UnclosedComment : '/*' ;

Space : [ \t\r\n\f\u000B]+ -> skip ;

// Whatever else stands in the text is a token that no rule accepts: nothing is dropped without a message.
Unknown : . ;
