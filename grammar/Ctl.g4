// Formulas of computation tree logic, in the spelling of most tools (`E [ a U b ]`) and in that of our models (`a EU b`).
//
// Unary operators bind strongest, then `EU` and `AU`, to the right, then `&`, `|`, `->`, `<->`.
// Names that are no words, as hardware models have them, stand in quotation marks.
grammar Ctl;

formula : expression EOF ;

expression
    : '(' expression ')'
    | ( 'true' | 'false' )
    | Name
    | Quoted
    | ( '!' | '~' | 'EX' | 'EF' | 'EG' | 'AX' | 'AF' | 'AG' ) expression
    | ( 'E' | 'A' ) '[' expression 'U' expression ']'
    | <assoc=right> expression ( 'EU' | 'AU' ) expression
    | expression ( '&' | '&&' ) expression
    | expression ( '|' | '||' ) expression
    | <assoc=right> expression ( '->' | '=>' ) expression
    | expression ( '<->' | '<=>' ) expression
    ;

Name : [a-zA-Z_] [a-zA-Z_0-9.]* ;

Quoted : '"' ~["\r\n]* '"' ;

Space : [ \t\r\n\f\u000B]+ -> skip ;

// Whatever else stands in the text is a token that no rule accepts: nothing is dropped without a message.
Unknown : . ;
