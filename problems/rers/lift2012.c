// A lift in the style of the large files of 2012: the rules are cut into functions that are chained by
// calls, and each is called before it is declared.
#include <stdio.h>
#include <assert.h>

	// inputs
	int inputA = 1;
	int inputB = 2;
	int inputC = 3;

	 int level = 0;
	 int door = 0;
	 int moving = 0;
	 int load = 5;

	int calculate_output(int input) {
	    if(((level==3) && (moving==-1))){
	    error_0: assert(0);
	    }
	    if(((level==3) && (moving==1))){
	    error_1: assert(0);
	    }
	    if(((door==0) && (load==7) && (level==2))){
	    error_44: assert(0);
	    }
	    if((load==8)){
	    globalError: assert(0);
	    }
	    if(((input == 1) && (door==0) && (moving==0) && (level < 3))){
	    	moving = 1;
	    	 return 21;
	    } else if(((input == 2) && (door==0) && (moving==0) && (level > 0))){
	    	moving = -1;
	    	 return 22;
	    } else if(((input == 3) && (door==0) && (moving==0))){
	    	door = 1;
	    	 return 23;
	    }
	    return calculate_output2(input);
	}

	int calculate_output2(int input) {
	    if(((input == 3) && !(moving==0))){
	    	level = (level + moving);
	    	 return calculate_output3(moving);
	    } else if(((door==1) && (input == 3))){
	    	door = 0;
	    	 return 24;
	    } else if(((door==1) && (input == 1) && (load < 7))){
	    	load = load + 1;
	    	 return -1;
	    }
	    return calculate_output4(input);
	}

	int calculate_output3(int direction) {
	    if(((level==3) || (level==0))){
	    	moving = 0;
	    	 return 25;
	    }
	    if(direction < 0) return 22;
	    return 21;
	}

	int calculate_output4(int input) {
	    if(((door==1) && (input == 2) && (load==7))){
	    	load = 5;
	    	 return 26;
	    } else if(((door==1) && (input == 2))){
	    	load = 7;
	    	level = 2;
	    	 return 26;
	    } else if((!(moving==0) && (level==1))){
	    	moving = 0;
	    	 return 20;
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
