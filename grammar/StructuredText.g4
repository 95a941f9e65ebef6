// Structured Text of IEC 61131-3, as the tools of several vendors write it.
//
// The grammar is wider than what is verified: types and units that are not supported parse, so that the next stage can
// refuse them with a message that names the reason, or pass over those that nothing uses. Operators of two operands are
// one flat list, climbed by precedence when the syntax tree is built. Properties stand in comments and have a grammar
// of their own (`StProperties.g4`); here such a comment is one token.
grammar StructuredText;

options { caseInsensitive = true; }

sourceFile : unit* EOF ;

unit
    : typeBlock
    | varBlock
    | pou
    | configuration
    | dataBlock
    | ';'
    ;

typeBlock : 'TYPE' typeDeclaration* 'END_TYPE' ;

typeDeclaration : name header* ':'? typeSpec ( ':=' initializer )? ';'? ;

typeSpec
    : '(' enumValue ( ',' enumValue )* ','? ')' name?
    | 'STRUCT' declaration* 'END_STRUCT'
    | 'ARRAY' '[' dimension ( ',' dimension )* ']' 'OF' typeSpec
    | ( 'REF_TO' | name 'TO' ) typeSpec
    | name ( '(' expression '..' expression ')' | '(' expression ')' | '[' expression ']' )?
    ;

enumValue : name ( ':=' expression )? ;

dimension : '*' | expression '..' expression ;

// `FUNCTION` and its like, with everything up to the end.
pou
    : ( 'PROGRAM' | 'FUNCTION_BLOCK' | 'FUNCTION' | 'ORGANIZATION_BLOCK' ) name ( ':' typeSpec )? ';'? header*
      varBlock* 'BEGIN'? statement*
      ( 'END_PROGRAM' | 'END_FUNCTION_BLOCK' | 'END_FUNCTION' | 'END_ORGANIZATION_BLOCK' )
    ;

// What Siemens' tools write before the variables.
header : ( 'VERSION' | 'AUTHOR' | 'FAMILY' | 'TITLE' | 'NAME' ) ( ':' | '=' ) ( Number | Real | name | Text ) ';'? ;

varBlock : varKind qualifier* declaration* 'END_VAR' ';'? ;

varKind
    : 'VAR' | 'VAR_INPUT' | 'VAR_OUTPUT' | 'VAR_IN_OUT' | 'VAR_TEMP' | 'VAR_STAT' | 'VAR_GLOBAL' | 'VAR_EXTERNAL'
    | 'VAR_ACCESS' | 'VAR_CONFIG' | 'VAR_INST'
    ;

qualifier : 'CONSTANT' | 'RETAIN' | 'NON_RETAIN' | 'PERSISTENT' | 'PUBLIC' | 'PRIVATE' | 'PROTECTED' | 'INTERNAL' ;

declaration : declared ( ',' declared )* ':' typeSpec edge? ( ':=' initializer )? ';' ;

declared : name ( 'AT' Location )? ;

edge : 'R_EDGE' | 'F_EDGE' ;

initializer
    : '[' element ( ',' element )* ','? ']'
    | '(' fieldValue ( ',' fieldValue )* ','? ')'
    | expression
    ;

element : Number '(' initializer ( ',' initializer )* ')' | initializer ;

fieldValue : name ':=' initializer ;

// Of a configuration only the globals count.
configuration : 'CONFIGURATION' name configurationItem* 'END_CONFIGURATION' ';'? ;

configurationItem : varBlock | resource | task ;

resource : 'RESOURCE' name 'ON' name ( varBlock | task )* 'END_RESOURCE' ';'? ;

// How a program is scheduled.
task : ( 'TASK' | 'PROGRAM' ) ~( ';' | 'END_CONFIGURATION' | 'END_RESOURCE' )* ';' ;

dataBlock
    : 'DATA_BLOCK' name ( header | qualifier )*
      ( varBlock | 'STRUCT' declaration* 'END_STRUCT' ';'? | name ';'? )
      'BEGIN' statement* 'END_DATA_BLOCK'
    ;

statement
    : ';'
    | assertion
    | place ( ':=' expression )? ';'
    | ifStatement ';'?
    | caseStatement ';'?
    | forStatement ';'?
    | whileStatement ';'?
    | repeatStatement ';'?
    | 'REGION' name* statement* 'END_REGION' ';'?
    | ( 'EXIT' | 'CONTINUE' | 'RETURN' ) ';'
    ;

assertion : AssertComment ;

ifStatement : 'IF' expression 'THEN' statement* elsif* otherwise? 'END_IF' ;

elsif : 'ELSIF' expression 'THEN' statement* ;

otherwise : 'ELSE' statement* ;

caseStatement : 'CASE' expression 'OF' caseArm* otherwise? 'END_CASE' ;

caseArm : label ( ',' label )* ':' statement* ;

label : bound ( '..' bound )? ;

bound : '-'? literal | nameOf ;

// A constant or a value of an enumeration.
nameOf : '#'? name ( ( '#' | '.' ) name )* ;

forStatement : 'FOR' place ':=' expression 'TO' expression ( 'BY' expression )? 'DO' statement* 'END_FOR' ;

whileStatement : 'WHILE' expression 'DO' statement* 'END_WHILE' ;

repeatStatement : 'REPEAT' statement* 'UNTIL' expression ';'? 'END_REPEAT' ;

// A variable, a cell, a field, a call, or what a call leaves.
place : '#'? name suffix* ;

suffix
    : '.' ( name | Number )
    | '[' expression ( ',' expression )* ']'
    | '(' ( argument ( ',' argument )* )? ')'
    | '^'
    ;

argument
    : name ':=' expression
    | 'NOT'? name '=>' place?
    | expression
    ;

expression : operand ( operator operand )* ;

operator
    : 'OR' | 'OR_ELSE' | 'XOR' | 'AND' | '&' | 'AND_THEN'
    | '=' | '<>' | '<' | '<=' | '>' | '>='
    | '+' | '-' | '*' | '/' | 'MOD' | '**'
    ;

operand : ( '-' | '+' | 'NOT' ) operand | primary ;

primary
    : '(' expression ')'
    | literal
    | place
    ;

literal
    : name '#' '-'? ( Number | Based | Real )
    | name '#' name
    | 'TRUE' | 'FALSE'
    | Number | Based | Real | Duration | Text
    ;

// Words that begin something only where nothing else can stand are names everywhere else.
name
    : Name | Quoted
    | 'AT' | 'VERSION' | 'AUTHOR' | 'FAMILY' | 'TITLE' | 'NAME' | 'CONSTANT' | 'RETAIN' | 'NON_RETAIN' | 'PERSISTENT'
    | 'PUBLIC' | 'PRIVATE' | 'PROTECTED' | 'INTERNAL' | 'R_EDGE' | 'F_EDGE' | 'ON' | 'TASK' | 'RESOURCE' | 'TO' | 'BY' | 'BEGIN'
    | 'TYPE' | 'REGION'
    ;

// A construct of the standard that is not read, and that nothing else is called.
ForeignKeyword
    : 'INITIAL_STEP' | 'END_STEP' | 'END_TRANSITION' | 'END_ACTION' | 'METHOD' | 'END_METHOD' | 'EXTENDS'
    | 'IMPLEMENTS' | 'INTERFACE' | 'END_INTERFACE' | 'CLASS' | 'END_CLASS' | 'NAMESPACE' | 'END_NAMESPACE' | 'GOTO' | 'JMP'
    ;

Name : [\p{L}_] [\p{L}\p{M}\p{N}_]* ;

Quoted : '"' ~["\r\n]* '"' ;

Duration : ( 'T' | 'TIME' | 'LT' | 'LTIME' ) '#' '-'? [0-9] [0-9a-z_.]* ;

Real : [0-9] [0-9_]* '.' [0-9] [0-9_]* ( 'E' [+-]? [0-9]+ )? ;

Based : [0-9]+ '#' [0-9a-z_]+ ;

Number : [0-9] [0-9_]* ;

Location : '%' [a-z0-9_.*]+ ;

Text : '\'' ~['\r\n]* '\'' ;

AssertComment : '//#ASSERT' ~[\r\n]* | '(*#ASSERT' .*? '*)' ;

// Collected apart from the program.
Specification : '(*@' .*? '*)' -> channel(HIDDEN) ;

LineComment : '//' ~[\r\n]* -> channel(HIDDEN) ;

BlockComment : '(*' .*? '*)' -> channel(HIDDEN) ;

SlashComment : '/*' .*? '*/' -> channel(HIDDEN) ;

Pragma : '{' ~[}]* '}' -> channel(HIDDEN) ;

UnclosedComment : '(*' | '/*' | '{' ;

// The byte-order mark that some editors put at the beginning counts as space.
Space : [ \t\r\n\f\u000B\uFEFF]+ -> skip ;

// Whatever else stands in the text is a token that no rule accepts: nothing is dropped without a message.
Unknown : . ;
