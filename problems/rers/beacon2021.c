// A beacon in the style of the newer copies: the program defines reach_error itself and has that one
// error; the alphabet is the set of numbers that main lets through.
extern void abort(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__noreturn__));
void reach_error() { __assert_fail("0", "beacon2021.c", 4, "reach_error"); }
extern int __VERIFIER_nondet_int();

	void errorCheck();
	void calculate_output(int);

	 int beam = 32;
	 int turns = 0;
	 int cf = 1;

	void errorCheck() {
	    if((beam == 34 && turns == 3)){
	    cf = 0;
	    reach_error();
	    }
	    if((beam == 33 && turns == 9)){
	    cf = 0;
	    reach_error();
	    }
	}

 void calculate_output(int input) {
        cf = 1;

    if((( cf==1  && beam == 32) && input == 1)) {
    	cf = 0;
    	beam = 33;
    }
    if(( cf==1  && (beam == 33 && (input == 2 || input == 6)))) {
    	cf = 0;
    	turns = (turns + 1) % 4;
    }
    if((( cf==1  && beam == 33) && (input == 1 && turns == 3))) {
    	cf = 0;
    	beam = 34;
    	turns = 2;
    }
    if(((input == 6 && beam == 34) &&  cf==1 )) {
    	cf = 0;
    	turns += 1;
    }
    errorCheck();
}

int main()
{
    // main i/o-loop
    while(1)
    {
        // read input
        int input;
        input = __VERIFIER_nondet_int();
        // operate eca engine
        if((input != 1) && (input != 2) && (input != 6))
          return -2;
        calculate_output(input);
    }
}
