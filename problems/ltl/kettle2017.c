// A kettle in the style of 2017: A is its button, B is time that passes, C is somebody who takes the water.
// It has no labels; constraints-kettle2017.txt has formulas about it.
#include <stdio.h>
#include <assert.h>
#include <math.h>
#include <stdlib.h>

	// inputs
	int inputs[] = {1,2,3};

	void errorCheck();
	void calculate_output(int);
	void calculate_outputm1(int);
	void calculate_outputm2(int);

	 int mode = 7;
	 int warmth = 0;
	 int cf = 1;

	void errorCheck() {
	}

	 void calculate_outputm1(int input) {
	    if((input == 1 && ( cf==1  && mode == 7))) {
	    	cf = 0;
	    	mode = 8;
	    	warmth = 0;
	    	 printf("%d\n", 24); fflush(stdout);
	    }
	    if((( cf==1  && input == 3) && mode == 9)) {
	    	cf = 0;
	    	mode = 7;
	    	 printf("%d\n", 22); fflush(stdout);
	    }
	}

	 void calculate_outputm2(int input) {
	    if((input == 1 &&  cf==1 )) {
	    	cf = 0;
	    	mode = 7;
	    	 printf("%d\n", 21); fflush(stdout);
	    }
	    if((( cf==1  && warmth < 2) && input == 2)) {
	    	cf = 0;
	    	warmth = (warmth + 1);
	    	 printf("%d\n", 25); fflush(stdout);
	    }
	    if((input == 2 && (warmth == 2 &&  cf==1 ))) {
	    	cf = 0;
	    	mode = 9;
	    	 printf("%d\n", 26); fflush(stdout);
	    }
	}

 void calculate_output(int input) {
        cf = 1;

    if((mode == 8 &&  cf==1 )) {
    	calculate_outputm2(input);
    }
    if(( cf==1  && mode != 8)) {
    	calculate_outputm1(input);
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
        if((input != 1) && (input != 2) && (input != 3))
          return -2;
        calculate_output(input);
    }
}
