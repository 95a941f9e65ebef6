// A signal box in the style of 2018 as redistributed for verifiers: no includes, no output, inputs from
// __VERIFIER_nondet_int, and a function per error.
extern int __VERIFIER_nondet_int();
extern void __VERIFIER_error_0();
extern void __VERIFIER_error_2();
extern void __VERIFIER_error_20();
extern void __VERIFIER_error_61();

	int inputs[] = {5,1,3};

	void errorCheck();
	void calculate_output(int);
	void calculate_outputm1(int);
	void calculate_outputm2(int);

	 int a1551570219 = 32;
	 int a1868984816 = 8;
	 int a31 = 0;
	 int cf = 1;

	void errorCheck() {
	    if((a1551570219 == 33 && a31 == 2)){
	    cf = 0;
	    __VERIFIER_error_0();
	    }
	    if((a1868984816 == 10 && a31 == 1)){
	    cf = 0;
	    __VERIFIER_error_2();
	    }
	    if((a1868984816 == 9 && a1551570219 == 34)){
	    cf = 0;
	    __VERIFIER_error_20();
	    }
	    if((a31 == 3)){
	    cf = 0;
	    __VERIFIER_error_61();
	    }
	}

	 void calculate_outputm1(int input) {
	    if((input == 5 && ( cf==1  && a31 < 2))) {
	    	cf = 0;
	    	a1868984816 = 9;
	    	a31 = a31 + 1;
	    }
	    if((input == 1 && (a1868984816 == 9 &&  cf==1 ))) {
	    	cf = 0;
	    	a1551570219 = a31 == 2 ? 34 : 33;
	    	a1868984816 = 8;
	    }
	}

	 void calculate_outputm2(int input) {
	    if(((input == 3 &&  cf==1 ) && a1868984816 == 8)) {
	    	cf = 0;
	    	a1868984816 = 10;
	    	a31 = 0;
	    }
	    if(((input == 5 &&  cf==1 ) && a1868984816 == 10)) {
	    	cf = 0;
	    	a1551570219 = 32;
	    	a1868984816 = 8;
	    	a31 = 1;
	    }
	    if(((input == 1 &&  cf==1 ) && a31 == 0)) {
	    	cf = 0;
	    	a31 = 2;
	    }
	}

 void calculate_output(int input) {
        cf = 1;

    if(( cf==1  && a1551570219 == 32)) {
    	calculate_outputm1(input);
    }
    if(((a1551570219 == 33 || a1551570219 == 34) &&  cf==1 )) {
    	calculate_outputm2(input);
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
        if((input != 5) && (input != 1) && (input != 3))
          return -2;
        calculate_output(input);
    }
}
