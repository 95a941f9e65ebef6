// Formulas of linear temporal logic, in all spellings of the RERS challenge and some of other tools.
//
// Unary operators bind strongest, then the binary temporal ones, to the right, then `&`, `|`, `->`, `<->`:
// `! a WU b & c` is `((! a) WU b) & c`.
grammar Ltl;

formula : expression EOF ;

expression
    : '(' expression ')'
    | ( 'true' | 'false' )
    | Name
    | ( '!' | '~' | 'X' | 'F' | 'G' | '<>' | '[]' ) expression
    | <assoc=right> expression ( 'U' | 'R' | 'V' | 'W' | 'WU' ) expression
    | expression ( '&' | '&&' ) expression
    | expression ( '|' | '||' ) expression
    | <assoc=right> expression ( '->' | '=>' ) expression
    | expression ( '<->' | '<=>' ) expression
    ;

Name : [a-zA-Z_] [a-zA-Z_0-9]* ;

Space : [ \t\r\n\f\u000B]+ -> skip ;

// Whatever else stands in the text is a token that no rule accepts: nothing is dropped without a message.
Unknown : . ;
