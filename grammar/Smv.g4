// The language of NuSMV.
//
// Expressions are flat lists of operands with operators between and before them; the next stage climbs them by
// precedence, which is another one for `A [p U q]` than for what stands in brackets. The grammar is wider than the language
// where the next stage can name the reason of a refusal: words of other dialects, properties in PSL that are no formulas.
grammar Smv;

text : module* EOF ;

module : 'MODULE' name parameters? section* ;

parameters : '(' ( name ( ',' name )* )? ')' ;

section
    : ( 'VAR' | 'IVAR' | 'FROZENVAR' ) declaration*
    | 'CONSTANTS' ( path ( ',' path )* )? ';'
    | 'DEFINE' definition*
    | 'ASSIGN' assignment*
    | ( 'INIT' | 'TRANS' | 'INVAR' | 'FAIRNESS' | 'JUSTICE' ) expression ';'?
    | 'COMPASSION' '(' expression ',' expression ')' ';'?
    | 'ISA' name ';'?
    | specification
    | foreign
    ;

declaration : path ':' typeName ';' ;

definition : path ':=' ( expression | arrayLiteral ) ';' ;

assignment : target ':=' expression ';' ;

target : ( 'init' | 'next' ) '(' reference ')' | reference ;

reference : ( name | 'self' ) suffix* ;

// The words by which other dialects begin what is not read.
foreign : ForeignSection ;

specification
    : ( 'SPEC' | 'CTLSPEC' | 'LTLSPEC' | 'INVARSPEC' ) label? expression ';'?
    | 'COMPUTE' label? ( 'MIN' | 'MAX' ) '[' expression ',' expression ']' ';'?
    | 'PSLSPEC' label? ( expression | sequence+ ) ';'
    ;

label : 'NAME' name ':=' ;

// Regular expressions of PSL, in which a `;` stands within braces.
sequence : '{' ( sequence | ~( '{' | '}' ) )* '}' | ~( '{' | '}' | ';' | 'MODULE' ) ;

arrayLiteral : '[' ( arrayLiteral | expression ) ( ',' ( arrayLiteral | expression ) )* ']' ;

typeName
    : 'boolean' | 'integer' | 'real' | 'clock'
    | '{' ( signed | path | 'TRUE' | 'FALSE' ) ( ',' ( signed | path | 'TRUE' | 'FALSE' ) )* '}'
    | ( 'unsigned' | 'signed' )? 'word' '[' expression ']'
    | 'array' ( 'word' '[' expression ']' | 'integer' | expression ) 'of' typeName
    | 'process'? name arguments?
    | expression
    ;

signed : '-'? Number ;

arguments : '(' ( expression ( ',' expression )* )? ')' ;

expression : operand ( ( operator | '?' expression ':' ) operand )* ;

operator
    : '*' | '/' | 'mod' | '+' | '-' | '<<' | '>>' | '::' | '..' | 'union' | 'in'
    | '=' | '!=' | '<' | '>' | '<=' | '>='
    | 'U' | 'V' | 'S' | 'T' | 'R' | 'BU' signed '..' signed
    | '&' | '|' | 'xor' | 'xnor' | '<->' | '->'
    ;

operand : prefix* primary suffix* ;

prefix
    : '!' | '-'
    | 'X' | 'Y' | 'Z'
    | ( 'F' | 'G' | 'O' | 'H' ) bound?
    | 'AX' | 'EX' | 'AF' | 'EF' | 'AG' | 'EG'
    | ( 'ABF' | 'EBF' | 'ABG' | 'EBG' ) signed '..' signed
    | 'always' | 'never' | 'eventually!'
    ;

bound : '[' signed ',' signed ']' ;

primary
    : '(' expression ')'
    | '{' expression ( ',' expression )* '}'
    | 'case' arm+ 'esac'
    | ( 'A' | 'E' ) '[' expression ']'
    | function '(' expression ( ',' expression )* ')'
    | 'typeof' '(' expression ')'
    | 'CONSTARRAY' '(' typeName ',' expression ')'
    | name | 'self' | 'TRUE' | 'FALSE'
    | Number | Word
    ;

arm : expression ':' expression ';' ;

function
    : 'next' | 'init' | 'bool' | 'word1' | 'toint' | 'count' | 'abs' | 'max' | 'min' | 'extend' | 'resize' | 'sizeof'
    | 'signed' | 'unsigned' | 'uwconst' | 'swconst' | 'READ' | 'WRITE' | 'floor'
    ;

suffix
    : '.' ( name | Number )
    | '[' expression ( ':' expression )? ']'
    ;

// A declared name, which may have dots in it.
path : ( name | 'self' ) ( '.' ( name | Number ) )* ( '[' signed ']' )* ;

// Words that begin something only where nothing else can stand are names everywhere else.
name : Name | Quoted | 'R' | 'always' | 'never' | 'clock' | 'floor' ;

ForeignSection : 'PRED' | 'MIRROR' | 'GAME' | 'PLAYER_1' | 'PLAYER_2' | 'FUN' | 'CONSTRAINT' | 'PARSYNTH' | 'SIMPWFF' ;

Name : [A-Za-z_] [A-Za-z0-9_$#-]* ;

Quoted : '"' ~["\r\n]* '"' ;

Word : '0' [us]? [bBdDoOhH] [0-9]* '_' [0-9a-fA-F_]+ ;

Number : [0-9]+ ;

BlockComment : '/--' .*? '--/' -> channel(HIDDEN) ;

LineComment : '--' ~[\r\n]* -> channel(HIDDEN) ;

// A line for a preprocessor.
Directive : '#' ~[\r\n]* ;

UnclosedComment : '/--' ;

Space : [ \t\r\n\f\u000B\uFEFF]+ -> skip ;

// Whatever else stands in the text is a token that no rule accepts: nothing is dropped without a message.
Unknown : . ;
