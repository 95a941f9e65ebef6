// Counters in the style of 2015: each grows unless that would overflow, and products and quotients of
// variables decide what is reached.
#include <stdio.h>
#include <assert.h>
#include <math.h>
#include <stdlib.h>

	// inputs
	int inputs[] = {1,3,2,5};

	const int error_0 = 1;
	const int error_1 = 1;
	const int error_2 = 1;
	const int error_3 = 1;

	 int big = 2147483600;
	 int low = -2147483640;
	 int share = 6;
	 int parts = 2;
	 int cf = 1;

	void errorCheck() {
	    if((big == 2147483639)){
	    cf = 0;
	    error_0: assert(!error_0);
	    }
	    if((((share * parts) == 36) && (low > 0))){
	    cf = 0;
	    error_1: assert(!error_1);
	    }
	    if(((big * 2) == 6)){
	    cf = 0;
	    error_2: assert(!error_2);
	    }
	    if(((low > 0) && ((parts == 3) && (big == 2147483630)))){
	    cf = 0;
	    error_3: assert(!error_3);
	    }
	}

	void calculate_outputm1(int input) {
	    if((((cf==1) && (input == inputs[0])) && (parts > 0))){
	    	cf = 0;
	    	big += (big + 20) > big ? 3 : 0;
	    	 printf("%d\n", 20); fflush(stdout);
	    }
	    if(((cf==1) && ((input == inputs[1]) && (low < 0)))){
	    	cf = 0;
	    	low -= (low - 4) < low ? 2 : -2147483647;
	    	 printf("%d\n", 21); fflush(stdout);
	    }
	}

	void calculate_outputm2(int input) {
	    if((((input == inputs[2]) && (cf==1)) && (parts < 6))){
	    	cf = 0;
	    	parts += ((share / parts) % 3) + 1;
	    	 printf("%d\n", (share / parts)); fflush(stdout);
	    }
	    if((((input == inputs[3]) && (cf==1)) && (parts >= 4))){
	    	cf = 0;
	    	share = ((parts * parts) / 4) - 3;
	    	parts = (share / (parts - 5));
	    	 printf("%d\n", parts); fflush(stdout);
	    }
	}

	void calculate_output(int input) {
	    cf = 1;

	    if((cf==1)){
	    	calculate_outputm1(input);
	    }
	    if(((cf==1) && !(parts == 0))){
	    	calculate_outputm2(input);
	    }
	    errorCheck();

	    if((cf==1))
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
        calculate_output(input);
    }
}
