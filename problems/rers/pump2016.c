// A pump in the style of 2016 to 2020, plain: comparisons and truth values only, prototypes for all
// functions, and a main that returns on an input outside the alphabet.
#include <stdio.h>
#include <assert.h>
#include <math.h>
#include <stdlib.h>

    extern void __VERIFIER_error(int);

	// inputs
	int inputs[] = {2,5,3,1};

	void errorCheck();
	void calculate_output(int);
	void calculate_outputm1(int);
	void calculate_outputm2(int);
	void calculate_outputm3(int);

	 int a1537379265 = 34;
	 int a30 = 32;
	 int a92 = 5;
	 int a7 = 1;
	 int cf = 1;

	void errorCheck() {
	    if(((a92 == 7 && a30 == 33) && a7 != 1)){
	    cf = 0;
	    __VERIFIER_error(0);
	    }
	    if((a1537379265 == 36 && a92 == 5)){
	    cf = 0;
	    __VERIFIER_error(20);
	    }
	    if(((a1537379265 == 35 && a7 != 1) && a30 == 32)){
	    cf = 0;
	    __VERIFIER_error(21);
	    }
	    if(((a30 == 33 && a7 == 1) && a1537379265 == 34)){
	    cf = 0;
	    __VERIFIER_error(60);
	    }
	    if((a92 == 8 || (a30 == 34 && !(a7 == 1)))){
	    cf = 0;
	    __VERIFIER_error(99);
	    }
	}

	 void calculate_outputm1(int input) {
	    if((input == 5 && ( cf==1  && a92 == 5))) {
	    	cf = 0;
	    	a92 = 6;
	    	a1537379265 = 35;
	    	 printf("%d\n", 21); fflush(stdout);
	    }
	    if(((a92 == 6 &&  cf==1 ) && input == 2)) {
	    	cf = 0;
	    	a92 = 7;
	    	 printf("%d\n", 22); fflush(stdout);
	    }
	}

	 void calculate_outputm2(int input) {
	    if((( cf==1  && a92 != 5) && (input == 1 || input == 3))) {
	    	cf = 0;
	    	a30 = 33;
	    	a7 = 0;
	    	 printf("%d\n", 19); fflush(stdout);
	    }
	}

	 void calculate_outputm3(int input) {
	    if(((a7 != 1 &&  cf==1 ) && input == 5)) {
	    	cf = 0;
	    	a7 = 1;
	    	a1537379265 = 36;
	    	a92 = 7;
	    	 printf("%d\n", 26); fflush(stdout);
	    }
	    if((input == 3 && (a7 == 1 &&  cf==1 ))) {
	    	cf = 0;
	    	a30 = 32;
	    	a92 = 5;
	    	 printf("%d\n", 15); fflush(stdout);
	    }
	}

 void calculate_output(int input) {
        cf = 1;

    if((a30 == 32 &&  cf==1 )) {
    	if((a7 == 1 &&  cf==1 )) {
    		calculate_outputm1(input);
    	}
    	if(( cf==1  && a1537379265 == 35)) {
    		calculate_outputm2(input);
    	}
    }
    if((a30 == 33 &&  cf==1 )) {
    	calculate_outputm3(input);
    }
    errorCheck();

    if( cf==1 )
    	fprintf(stderr, "Invalid input: %d\n", input);
}

int main()
{
    // main i/o-loop
    while(1)
    {
        // read input
        int input;
        scanf("%d", &input);
        // operate eca engine
        if((input != 2) && (input != 5) && (input != 3) && (input != 1))
          return -2;
        calculate_output(input);
    }
}
