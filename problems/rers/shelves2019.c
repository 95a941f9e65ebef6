// A store in the style of 2016 to 2020, data structures: arrays of constants, pointers among them, and
// indices that are computed and may leave their array.
#include <stdio.h>
#include <assert.h>
#include <math.h>
#include <stdlib.h>

    extern void __VERIFIER_error(int);

	// inputs
	int inputs[] = {1,4,2,3};

	void errorCheck();
	void calculate_output(int);
	void calculate_outputm1(int);
	void calculate_outputm2(int);

	 int a366[] = {8,9,10,11,12,13};
	 int a77[] = {14,15,16,17,18,19};
	 int a105[] = {1,2,3,4};
	 int *a12 = a366;
	 int *a40 = a105;
	 int a230 = 6;
	 int a270 = 5;
	 int a5 = 9;
	 int cf = 1;

	void errorCheck() {
	    if((a5 == a77[5] && a12 == a77)){
	    cf = 0;
	    __VERIFIER_error(6);
	    }
	    if((a5 == a366[((a230 * a270) % 6)] && a40 == a366)){
	    cf = 0;
	    __VERIFIER_error(20);
	    }
	    if((a12[a105[0]] == 15 && a230 == 3)){
	    cf = 0;
	    __VERIFIER_error(38);
	    }
	    if((a40[3] == 4 && a12 == a40)){
	    cf = 0;
	    __VERIFIER_error(71);
	    }
	    if((a5 == 17)){
	    cf = 0;
	    __VERIFIER_error(90);
	    }
	}

	 void calculate_outputm1(int input) {
	    if(((input == 1 && a230 > 3) &&  cf==1 )) {
	    	cf = 0;
	    	a230 = (a230 - 1);
	    	a270 = ((a230 - 3) > 0) ? (30 / a230) : 10;
	    	a5 = a12[((a230 * a270) % 6)];
	    	 printf("%d\n", 21); fflush(stdout);
	    }
	    if(( cf==1  && (input == 4 && a12 == a366))) {
	    	cf = 0;
	    	a12 = a77;
	    	a5 = a12[5 - (a230 - 3)];
	    	 printf("%d\n", a5); fflush(stdout);
	    }
	}

	 void calculate_outputm2(int input) {
	    if((input == 2 && ( cf==1  && a12 == a77))) {
	    	cf = 0;
	    	a12 = a366;
	    	a40 = a5 > 16 ? a366 : a105;
	    	 printf("%d\n", 24); fflush(stdout);
	    }
	    if(((input == 3 && a230 < 6) &&  cf==1 )) {
	    	cf = 0;
	    	a230 = a40[a230 - a40[1]];
	    	 printf("%d\n", 25); fflush(stdout);
	    }
	}

 void calculate_output(int input) {
        cf = 1;

    if((a230 < 7 &&  cf==1 )) {
    	calculate_outputm1(input);
    }
    if(( cf==1  && a5 > 2)) {
    	calculate_outputm2(input);
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
        if((input != 1) && (input != 4) && (input != 2) && (input != 3))
          return -2;
        calculate_output(input);
    }
}
