// Mealy machines as graphs, as far as tools that learn them write them in the language of Graphviz.
grammar Dot;

graph : 'strict'? 'digraph' id? '{' statement* '}' EOF ;

statement
    : ( edge | assignment | defaults | node ) ';'?
    | ';'
    ;

edge : id '->' id attributes* ;

assignment : id '=' id ;

defaults : ( 'graph' | 'node' | 'edge' ) attributes+ ;

node : id attributes* ;

attributes : '[' ( attribute ( ',' | ';' )? )* ']' ;

attribute : id '=' id ;

id : Name | Number | Quoted ;

Name : [a-zA-Z_] [a-zA-Z_0-9]* ;

Number : '-'? [0-9]* '.'? [0-9]+ ;

Quoted : '"' ( '\\' . | ~["\\] )* '"' ;

LineComment : '//' ~[\r\n]* -> channel(HIDDEN) ;

BlockComment : '/*' .*? '*/' -> channel(HIDDEN) ;

Directive : '#' ~[\r\n]* -> channel(HIDDEN) ;

Space : [ \t\r\n\f]+ -> skip ;

// Whatever else stands in the text is a token that no rule accepts: nothing is dropped without a message.
Unknown : . ;
