// A door in the style of 2012. Input B changes the state before the program calls it invalid, and after C the label may
// end the run; properties7.txt has formulas about what is left, none of which depends on B.
#include <stdio.h>
#include <assert.h>
#include <math.h>

	// inputs
	int inputA = 1;
	int inputB = 2;
	int inputC = 3;


	 int door = 0;
	 int wedge = 0;

	int calculate_output(int input) {
	    if(((door==2) && (wedge==1))){
	    	error_4: assert(0);
	    }
	    if(((door==0) && (input == 1))){
	    	door = 1;
	    	 return 24;
	    } else if(((door==1) && (input == 2))){
	    	wedge = 1;
	    	 return -2;
	    } else if(((door==1) && ((input == 1) && (wedge==1)))){
	    	door = 3;
	    	 return 25;
	    } else if(((door==1) && (input == 1))){
	    	door = 0;
	    	 return 25;
	    } else if(((door==3) && (input == 1))){
	    	 return 26;
	    } else if(((door==1) && (input == 3))){
	    	door = 2;
	    	 return 21;
	    } else if(((door==2) && (input == 1))){
	    	door = 0;
	    	 return 22;
	    }
	    return -2;
	}

int main()
{
    // default output
    int output = -1;

    // main i/o-loop
    while(1)
    {
        // read input
        int input;
        scanf("%d", &input);

        // operate eca engine
        output = calculate_output(input);

        if(output == -2)
        	fprintf(stderr, "Invalid input: %d\n", input);
        else if(output != -1)
			printf("%d\n", output);
    }
}
