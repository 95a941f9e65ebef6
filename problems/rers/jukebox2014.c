// A jukebox in the style of 2014: constants name the labels, arrays hold constants, and pointers are
// reassigned from one array to another.
#include <stdio.h>
#include <assert.h>
#include <math.h>
#include <stdlib.h>

	// inputs
	int inputs[] = {4,2,1,3};

	const int error_0 = 1;
	const int error_1 = 1;
	const int error_2 = 1;
	const int error_3 = 1;
	const int error_4 = 1;

	 int low[] = {3,4,5,6,7,8};
	 int middle[] = {9,10,11,12,13,14};
	 int high[] = {15,16,17,18,19,20};
	 int *shelf = low;
	 int *spare = high;
	 int song = 3;
	 int cf = 1;
	 int coins = 0;

	void errorCheck() {
	    if(((song == low[2]) && (shelf == middle))){
	    cf = 0;
	    error_0: assert(!error_0);
	    }
	    if(((song == high[1]) && (coins == 0))){
	    cf = 0;
	    error_1: assert(!error_1);
	    }
	    if((shelf == spare)){
	    cf = 0;
	    error_2: assert(!error_2);
	    }
	    if(((shelf[0] == 9) && ((coins == 2) && (song == 13)))){
	    cf = 0;
	    error_3: assert(!error_3);
	    }
	    if((song == 11)){
	    cf = 0;
	    error_4: assert(!error_4);
	    }
	}

	void calculate_outputm1(int input) {
	    if((((input == inputs[2]) && (cf==1)) && (coins < 2))){
	    	cf = 0;
	    	coins++;
	    	 printf("%d\n", 20);
	    }
	    if(((cf==1) && ((input == inputs[1]) && (coins > 0)))){
	    	cf = 0;
	    	coins -= 1;
	    	song = shelf[coins + 1];
	    	 printf("%d\n", song);
	    }
	}

	void calculate_outputm2(int input) {
	    if((((input == inputs[3]) && (cf==1)) && (shelf == low))){
	    	cf = 0;
	    	shelf = spare;
	    	spare = middle;
	    	 printf("%d\n", 22);
	    }
	    if(((((input == inputs[3]) && (cf==1)) && (shelf == high)) && (coins == 2))){
	    	cf = 0;
	    	song = *spare;
	    	shelf = middle;
	    	spare = low;
	    	 printf("%d\n", 23);
	    }
	    if((((input == inputs[0]) && (cf==1)) && (song == middle[0]))){
	    	cf = 0;
	    	song = spare[(coins * 2)];
	    	 printf("%d\n", 24);
	    }
	}

	void calculate_output(int input) {
	    cf = 1;

	    if(((coins < 3) && (cf==1))){
	    	calculate_outputm1(input);
	    }
	    if(((cf==1) && (song < 16))){
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
