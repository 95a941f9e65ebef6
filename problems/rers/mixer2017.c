// A mixer in the style of 2016 to 2020, arithmetic: sums, products, quotients, remainders and ternaries
// over negative numbers, with values that wrap around.
#include <stdio.h>
#include <assert.h>
#include <math.h>
#include <stdlib.h>

    extern void __VERIFIER_error(int);

	// inputs
	int inputs[] = {4,1,3};

	void errorCheck();
	void calculate_output(int);
	void calculate_outputm1(int);
	void calculate_outputm2(int);

	 int a1 = -37;
	 int a2 = 4;
	 int a3 = 46341;
	 int cf = 1;

	void errorCheck() {
	    if(((a1 % 10) == -7 && a2 == 5)){
	    cf = 0;
	    __VERIFIER_error(3);
	    }
	    if(((a3 * a3) < 0 && (a2 == 7 && (a1 % 3) == -1))){
	    cf = 0;
	    __VERIFIER_error(20);
	    }
	    if((a1 / 10) == 3){
	    cf = 0;
	    __VERIFIER_error(41);
	    }
	    if(((a1 + a3) == 46309 && a2 > 6)){
	    cf = 0;
	    __VERIFIER_error(55);
	    }
	    if((a2 < 4 || a3 == 0)){
	    cf = 0;
	    __VERIFIER_error(77);
	    }
	}

	 void calculate_outputm1(int input) {
	    if(((input == 4 && a2 < 7) &&  cf==1 )) {
	    	cf = 0;
	    	a1 = (((a1 * 7) % 24) - (a2 > 4 ? 6 : 9));
	    	a2 = (a2 + 1);
	    	 printf("%d\n", 21); fflush(stdout);
	    }
	    if(( cf==1  && (input == 1 && ((a1 <= -20) && (-60 < a1))))) {
	    	cf = 0;
	    	a1 = ((a1 / -3) + (a1 % 5));
	    	 printf("%d\n", 22); fflush(stdout);
	    }
	}

	 void calculate_outputm2(int input) {
	    if((((a1 + 20) > a1 &&  cf==1 ) && (input == 1 && a2 > 5))) {
	    	cf = 0;
	    	a2 = 4;
	    	a3 = a3 > 50 ? (((a3 * a3) / 13) % 40) : 46341;
	    	 printf("%d\n", 23); fflush(stdout);
	    }
	    if((input == 3 && ( cf==1  && (a2 % 2) == 0))) {
	    	cf = 0;
	    	a1 = -(a1 + a2);
	    	a2 += 1;
	    	 printf("%d\n", (a1 - (a1 / 4) * 4)); fflush(stdout);
	    }
	}

 void calculate_output(int input) {
        cf = 1;

    if(((-400 < a1) && (400 >= a1)) &&  cf==1 ) {
    	calculate_outputm1(input);
    }
    if(( cf==1  && a2 < 9)) {
    	calculate_outputm2(input);
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
        if((input != 4) && (input != 1) && (input != 3))
          return -2;
        calculate_output(input);
    }
}
