// A level crossing in the style of 2013: the flag `cf` says that no rule has fired yet, calls are nested
// in conditions that test it again, and errorCheck looks at states that no rule has left.
#include <stdio.h>
#include <assert.h>
#include <math.h>
#include <stdlib.h>

    // inputs
    int inputs[] = {2,5,3,1};

     int light  = 32;
     int gate  = 33;
     int trains = 0;
     int cf = 1;
     int fault = 0;

    void errorCheck() {
        if((((light==33) && (gate==34)) && (fault==1))){
            cf = 0;
            error_0: assert(0);
        }
        if(((trains==2) && !(gate==34))){
            cf = 0;
            error_1: assert(0);
        }
        if(((light==32) && (gate==34))){
            cf = 0;
            error_7: assert(0);
        }
        if(((light==34) && ((fault==1) && (trains!=1)))){
            cf = 0;
            error_33: assert(0);
        }
        if(((trains==0) && ((fault==1) && (gate==33)))){
            cf = 0;
            globalError: assert(0);
        }
    }

    void calculate_outputm1(int input) {
        if((((cf==1) && (input==1)) && (trains==0))){
            cf = 0;
            light = 33;
            trains = 1;
            printf("%d\n", 24);
        }
        if(((cf==1) && ((input==2) && (light==33)))){
            cf = 0;
            gate = 34;
            light = 34;
            printf("%d\n", 25);
        }
    }

    void calculate_outputm2(int input) {
        if((((input==3) && (cf==1)) && (trains==1))){
            cf = 0;
            trains = 0;
            gate = 33;
            light = 32;
            printf("%d\n", 21);
        }
        if((((input==1) && (cf==1)) && (trains==1))){
            cf = 0;
            trains = 2;
            printf("%d\n", 22);
        }
        if((((input==2) && (cf==1)) && (trains==2))){
            cf = 0;
            trains = 1;
            fault = 1;
            printf("%d\n", 23);
        }
    }

    void calculate_output(int input) {
        cf = 1;

        if(((cf==1) && !(gate==34))){
            if(((cf==1) && ((light==32) || (light==33)))){
                calculate_outputm1(input);
            }
        }
        if((((cf==1) && (light==34)) || ((gate==34) && (cf==1)))){
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
