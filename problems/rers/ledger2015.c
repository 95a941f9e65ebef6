// A ledger in the style of 2015 with two files: the state lives in ledger2015External.c and is only
// seen through functions that check it and functions that update it.
#include <stdio.h>
#include <assert.h>
#include <math.h>
#include <stdlib.h>


	 int check1(int v);
	 int check2(int v);
	 int check3(int v);
	 void update1(int a, int b, int c);
	 void update2(int a, int b, int c);
	 void update3(int a, int b, int c);
	 void update4(int a, int b, int c);

	// inputs
	int inputs[] = {3,1,2};

	 int cf = 1;

	const int error_0 = 1;
	const int error_1 = 1;
	const int error_2 = 1;
	const int error_3 = 1;

	void errorCheck() {
	    if((check1(9) && check2(4))){
	    cf = 0;
	    error_0: assert(!error_0);
	    }
	    if((check1(6) && check3(1))){
	    cf = 0;
	    error_1: assert(!error_1);
	    }
	    if((check2(5) && !check3(0))){
	    cf = 0;
	    error_2: assert(!error_2);
	    }
	    if(check3(7)){
	    cf = 0;
	    error_3: assert(!error_3);
	    }
	}

	void calculate_outputm1(int input) {
	    if((((input == inputs[1]) && (cf==1)) && check1(7))){
	    	cf = 0;
	    	update1(3, 3, 0);
	    	 printf("%d\n", 21); fflush(stdout);
	    }
	    if((((input == inputs[2]) && check1(9)) && (cf==1))){
	    	cf = 0;
	    	update2(10, 4, 0);
	    	update3(2, 2, 1);
	    	 printf("%d\n", 22); fflush(stdout);
	    }
	}

	void calculate_outputm2(int input) {
	    if((((input == inputs[0]) && (cf==1)) && check2(3))){
	    	cf = 0;
	    	update3(2, 3, 1);
	    	update4(5, 4, 0);
	    	 printf("%d\n", 23); fflush(stdout);
	    }
	    if((((input == inputs[1]) && (cf==1)) && (check3(1) || check1(6)))){
	    	cf = 0;
	    	update4(1, 1, 0);
	    	update2(14, 7, 0);
	    	 printf("%d\n", 24); fflush(stdout);
	    }
	}

	void calculate_output(int input) {
	    cf = 1;

	    if(((cf==1) && !check1(6))){
	    	calculate_outputm1(input);
	    }
	    if((check2(3) && (cf==1))){
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
