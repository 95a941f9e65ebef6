// Sequential C with loops, gotos and calls, as preprocessed programs of the software verification competition use it.
//
// The grammar is much wider than what is verified: structures, casts, attributes and assembler parse, since most such
// programs declare what they never use. What `main` can reach is looked at later, and refused there if need be. A name
// that a `typedef` has declared is a `TypeName`: the reader of tokens says so, since no grammar can.
//
// As in RersC.g4 an `else if` chain is a repetition, not a nest of statements.
grammar C;

translationUnit : external* EOF ;

external
    : staticAssertion
    | specifier+ ( initDeclarator ( ',' initDeclarator )* )? ( block | ';' )
    | initDeclarator block
    | assembler ';'
    | ';'
    ;

declaration : specifier+ ( initDeclarator ( ',' initDeclarator )* )? ';' ;

initDeclarator : declarator ( assembler | attribute )* ( '=' initializer )? ;

specifier
    : 'typedef' | 'extern' | 'static' | 'auto' | 'register' | 'inline' | '__inline' | '__inline__'
    | 'const' | '__const' | 'volatile' | '__volatile__' | 'restrict' | '__restrict' | '__restrict__' | '__extension__' | '_Noreturn'
    | 'void' | 'char' | 'short' | 'int' | 'long' | 'float' | 'double' | 'signed' | '__signed__' | 'unsigned' | '_Bool'
    | structure
    | enumeration
    | TypeName
    | attribute
    ;

structure : ( 'struct' | 'union' ) attribute* ( Name? '{' field* '}' | Name ) ;

field : specifier+ ( fieldDeclarator ( ',' fieldDeclarator )* )? ';' | staticAssertion | ';' ;

// The compiler has looked at these.
staticAssertion : ( '_Static_assert' | 'static_assert' ) bracketed ';' ;

fieldDeclarator : ( declarator ( ':' expression )? | ':' expression ) attribute* ;

enumeration : 'enum' ( Name? '{' enumerator ( ',' enumerator )* ','? '}' | Name ) ;

enumerator : Name ( '=' expression )? ;

attribute : ( '__attribute__' | '__attribute' ) bracketed ;

assembler : ( 'asm' | '__asm__' | '__asm' ) ( 'volatile' | '__volatile__' )? bracketed ;

bracketed : '(' ( ~( '(' | ')' ) | bracketed )* ')' ;

pointer : '*' specifier* ;

declarator : pointer* attribute* ( Name | '(' declarator ')' ) suffix* ;

abstractDeclarator
    : pointer+ ( '(' abstractDeclarator ')' )? suffix*
    | '(' abstractDeclarator ')' suffix*
    | suffix+
    ;

suffix
    : '[' expression? ']'
    | '(' parameters? ')'
    ;

parameters : parameter ( ',' parameter )* ( ',' '...' )? | Name ( ',' Name )* ;

parameter : specifier+ ( declarator | abstractDeclarator )? attribute* ;

initializer
    : expression
    | braced
    ;

braced : '{' ( element ( ',' element )* ','? )? '}' ;

element : designation? initializer ;

designation : designator+ '=' ;

designator : '[' expression ']' | '.' Name ;

typeName : specifier+ abstractDeclarator? ;

block : '{' statement* '}' ;

statement
    : conditional
    | plainStatement
    ;

// What may follow a final `else`: everything but `if`, which `elseIf` has taken.
plainStatement
    : block
    | declaration
    | staticAssertion
    | labelled
    | caseLabel
    | whileLoop
    | doLoop
    | forLoop
    | switchStatement
    | jump
    | sequence? ';'
    | assembler ';'
    ;

conditional : 'if' '(' sequence ')' statement elseIf* otherwise? ;

elseIf : 'else' 'if' '(' sequence ')' statement ;

otherwise : 'else' plainStatement ;

labelled : Name ':' attribute* statement ;

caseLabel : ( 'case' expression | 'default' ) ':' statement ;

whileLoop : 'while' '(' sequence ')' statement ;

doLoop : 'do' statement 'while' '(' sequence ')' ';' ;

forLoop : 'for' '(' ( declaration | first? ';' ) condition? ';' next? ')' statement ;

first : sequence ;

condition : sequence ;

next : sequence ;

switchStatement : 'switch' '(' sequence ')' statement ;

jump
    : 'goto' Name ';'
    | 'break' ';'
    | 'continue' ';'
    | 'return' sequence? ';'
    ;

// Expressions with commas between them.
sequence : expression ( ',' expression )* ;

expression
    : Name                                                 # name
    | Number                                               # number
    | Character                                            # character
    | String+                                              # text
    | '(' sequence ')'                                     # parenthesised
    | '(' typeName ')' braced                              # compound
    | '__builtin_offsetof' '(' typeName ',' expression ')' # offset
    | '(' block ')'                                        # statementExpression
    | expression '(' arguments? ')'                        # call
    | expression '[' sequence ']'                          # cell
    | expression ( '.' | '->' ) Name                       # member
    | expression ( '++' | '--' )                           # after
    | 'sizeof' '(' typeName ')'                            # sizeOfType
    | ( '++' | '--' | 'sizeof' ) expression                # before
    | ( '-' | '+' | '!' | '~' | '*' | '&' ) expression     # unary
    | '__extension__' expression                           # extension
    | '(' typeName ')' expression                          # cast
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
    | <assoc=right> expression '?' sequence ':' expression   # ternary
    | <assoc=right> expression assignment expression       # assign
    ;

assignment
    : '=' | '+=' | '-=' | '*=' | '/=' | '%=' | '<<=' | '>>=' | '&=' | '^=' | '|='
    ;

arguments : expression ( ',' expression )* ;

Name : [a-zA-Z_] [a-zA-Z_0-9]* ;

Number : ( [0-9] | '.' [0-9] ) ( [eEpP] [+-] | [a-zA-Z_0-9.] )* ;

Character : 'L'? '\'' ( '\\' ( [0-7]+ | 'x' [0-9a-fA-F]+ | . ) | ~['\\\r\n] ) '\'' ;

String : 'L'? '"' ( '\\' . | ~["\\\r\n] )* '"' ;

// The preprocessor leaves lines behind that say where a text came from; headers of the system only declare.
Marker
    : '#' [ \t]* ( 'line' | 'pragma' | 'ident' | [0-9] ) ~[\r\n]* -> channel(HIDDEN)
    ;

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

// Never made by the lexer: the names that a `typedef` declared become this.
TypeName : '\u0001' ;

// Whatever else stands in the text is a token that no rule accepts: nothing is dropped without a message.
Unknown : . ;
