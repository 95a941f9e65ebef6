// A heater in the style of 2012, arithmetic: a temperature in ranges, moved and clamped by the rules.
// Labels stand before the rules, so they look at what the step before has left.
#include <stdio.h>
#include <assert.h>
#include <math.h>

	// inputs
	int inputC = 3;
	int inputD = 4;
	int inputF = 6;


	 int heat = 23;
	 int mode = 9;
	 int ticks = 0;

	int calculate_output(int input) {
		if(((mode==10) &&  218 < heat )){
		error_57: assert(0);
		}
		if(((mode==9) &&  heat <=  -13 )){
		error_12: assert(0);
		}
		if(((mode==11) &&   ((-13 < heat) && (38 >= heat)) )){
		error_30: assert(0);
		}
		if(((ticks==4) && (  ((38 < heat) && (218 >= heat))  && (mode==9)))){
		globalError: assert(0);
		}
		if(((heat % 7) == -3)){
		error_5: assert(0);
		}
	    if(((mode==9) && (  ((-13 < heat) && (38 >= heat))  && (input == 3)))){
	    	heat = (((heat + 40) * 2) - 30);
	    	ticks = 0;
	    	mode = 10;
	    	 return 21;
	    } else if((((input == 3) && (mode==10)) &&   ((38 < heat) && (218 >= heat)) )){
	    	heat = (((heat % 60) + 150) - -30);
	    	 return 22;
	    } else if((((input == 4) && (mode==10)) && ( 38 < heat  && (ticks < 4)))){
	    	heat = ((((heat - 400) / 5) % 12) - 1);
	    	ticks = (ticks + 1);
	    	mode = 9;
	    	 return 23;
	    } else if((((input == 6) && (mode==9)) && (ticks==4))){
	    	heat = (((heat * 100000000) / 9) % 300);
	    	mode = 11;
	    	 return 24;
	    } else if((((input == 6) && (mode==11)) &&  heat <=  -13 )){
	    	heat = ((heat - -100) % 20);
	    	mode = 9;
	    	 return 25;
	    } else if((((input == 4) && (mode==9)) && (ticks < 4))){
	    	ticks = (ticks + 1);
	    	 return -1;
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
