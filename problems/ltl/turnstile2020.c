// A turnstile in the style of 2020: A is a coin, B is somebody who pushes. Whoever may pass is counted: two outputs in one
// step. Whoever may not is not answered. A mapping says which numbers the symbols have.
#include <stdio.h>
#include <assert.h>
#include <math.h>
#include <stdlib.h>

	// inputs
	int inputs[] = {1,2};

	void errorCheck();
	void calculate_output(int);

	 int locked = 1;
	 int cf = 1;

	void errorCheck() {
	}

 void calculate_output(int input) {
        cf = 1;

    if(( cf==1  && (input == 1 && locked == 1))) {
    	cf = 0;
    	locked = 0;
    	 printf("%d\n", 11); fflush(stdout);
    }
    if(( cf==1  && (input == 2 && locked == 0))) {
    	cf = 0;
    	locked = 1;
    	 printf("%d\n", 12); fflush(stdout);
    	 printf("%d\n", 13); fflush(stdout);
    }
    if(( cf==1  && (input == 2 && locked == 1))) {
    	cf = 0;
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
        if((input != 1) && (input != 2))
          return -2;
        calculate_output(input);
    }
}
