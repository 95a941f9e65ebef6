// A combination lock in the style of 2012, plain: the code is A B D, the door opens with E.
// Labels stand after the rules, so a step reaches them only where no rule fired.
#include <stdio.h>
#include <assert.h>

	// inputs
	int a= 1;
	int b= 2;
	int d= 4;
	int e= 5;

	// outputs
	int u = 21;
	int v = 22;
	int w = 23;
	int z = 26;

	int digits = 0;
	int open = 0;
	int alarm = 8;
	int tries = 0;

	int calculate_output(int input) {
	    if((((open==0)&&(digits==0))&&((input==1)&&(alarm==8)))){
	    	digits = 1;
	    	return 21;
	    } else if((((open==0)&&(digits==1))&&((input==2)&&!(alarm==9)))){
	    	digits = 2;
	    	return 21;
	    } else if((((open==0)&&(digits==2))&&((input==4)&&!(alarm==9)))){
	    	digits = 3;
	    	return 22;
	    } else if(((input==5)&&((digits==3)&&(open!=1)))){
	    	open = 1;
	    	tries = 0;
	    	return 23;
	    } else if(((open==1)&&(input==5))){
	    	open = 0;
	    	digits = 0;
	    	return -1;
	    } else if((((tries<2)&&(alarm==8))&&((open==0)&&((digits==1)||(digits==2))))){
	    	digits = 0;
	    	tries = tries + 1;
	    	return 26;
	    } else if((((tries==2)&&(alarm==8))&&((open==0)&&((digits==1)||(digits==2))))){
	    	alarm = 9;
	    	return 26;
	    }
	    if((((alarm==9)&&(digits==1))&&(open==0))){
	    	error_0: assert(0);
	    }
	    if((((alarm==9)&&(digits==2))&&(open==0))){
	    	error_1: assert(0);
	    }
	    if(((open==1)&&(input==1))){
	    	error_2: assert(0);
	    }
	    if(((open==1)&&(alarm==9))){
	    	error_3: assert(0);
	    }
	    if(((open==1)&&!(digits==3))){
	    	error_20: assert(0);
	    }
	    if(((digits==0)&&((tries==1)&&(input==4)))){
	    	globalError: assert(0);
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
