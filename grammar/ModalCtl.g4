// Formulas of computation tree logic with modalities for inputs and outputs, as the industrial tracks of the RERS challenge
// have them: `AG (<a><x>true => EF <b>true)`.
//
// The operators of two operands are a list, whose structure our own code finds by precedence: `&` before `|` before `=>`,
// which goes to the right. Names may be any words, also those of the language, between their brackets.
grammar ModalCtl;

formula : expression EOF ;

expression : operand ( ( '&' | '|' | '=>' ) operand )* ;

operand
    : '(' expression ')'
    | ( 'true' | 'false' )
    | '!' operand
    | '<' name '>' operand
    | '[' name ']' operand
    | ( 'EX' | 'EF' | 'EG' | 'AX' | 'AF' | 'AG' ) operand
    | ( 'E' | 'A' ) '(' expression 'U' expression ')'
    ;

name : Name | 'true' | 'false' | 'EX' | 'EF' | 'EG' | 'AX' | 'AF' | 'AG' | 'E' | 'A' | 'U' ;

Name : [a-zA-Z] [a-zA-Z_0-9]* ;

Space : [ \t\r\n\f\u000B]+ -> skip ;

// Whatever else stands in the text is a token that no rule accepts: nothing is dropped without a message.
Unknown : . ;
