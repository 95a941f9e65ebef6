#include <stdio.h>
#include <assert.h>
#include <math.h>
#include <stdlib.h>

    extern void __VERIFIER_error(int);

	// inputs
	int inputs[] = {6,5,2,3};

	void errorCheck();
	void calculate_output(int);
	void calculate_outputm1(int);
	void calculate_outputm2(int);
	void calculate_outputm3(int);
	void calculate_outputm4(int);
	void calculate_outputm5(int);
	void calculate_outputm6(int);
	void calculate_outputm7(int);

	 int a284 = 2;
	 int a317 = 0;
	 int a281 = 7;
	 int a324 = 11;
	 int a252 = 10;
	 int cf = 1;
	 int a121 = 4;

	void errorCheck() {
	    if((((!(a284 == 4)) && ((a121 == 3) && ((a317 == 1) && (a281 == 6)))) && ((a252 == 8) || (a121 == 3)))){
	    cf = 0;
	    __VERIFIER_error(0);
	    }
	    if((((a252 == 8) && ((a284 == 2) && (a317 == 1))) && (((a324 == 13) && ((a324 == 12) && ((a281 == 7) && ((a317 == 1) && (a284 == 3))))) && (a281 == 6)))){
	    cf = 0;
	    __VERIFIER_error(1);
	    }
	    if((((((a121 == 3) && (a317 != 1)) && ((a284 == 3) && ((a281 == 7) && ((a324 == 11) && (a317 != 1))))) && (a284 == 4)) && (((a252 == 9) && (a281 == 6)) && (a324 != 12)))){
	    cf = 0;
	    __VERIFIER_error(2);
	    }
	    if((((a324 == 11) && ((a284 == 2) && (!(a317 == 1)))) && (a281 == 6))){
	    cf = 0;
	    __VERIFIER_error(3);
	    }
	    if(((a317 != 1) && ((((a324 == 11) && ((a121 == 2) && (a281 == 5))) && (a284 == 3)) && (a252 != 8)))){
	    cf = 0;
	    __VERIFIER_error(4);
	    }
	    if(((((a317 != 1) && (a281 == 7)) && ((a284 == 4) && (a324 == 11))) && ((a281 == 7) && ((a324 == 11) && (a252 == 9))))){
	    cf = 0;
	    __VERIFIER_error(5);
	    }
	    if(((((a324 == 12) || (a317 == 1)) && (((a317 == 1) && (a281 == 5)) && ((a284 == 4) && (a324 == 12)))) || ((a281 == 7) && ((!(a317 == 1)) && (((a284 == 2) && (a324 == 12)) && (a281 == 5)))))){
	    cf = 0;
	    __VERIFIER_error(6);
	    }
	    if(((((a317 != 1) && (a281 == 7)) && ((a284 == 4) && (((a252 == 10) && (((a121 == 2) || (a121 == 5)))) && (a324 == 13)))) && ((a324 == 12) || (a121 == 2)))){
	    cf = 0;
	    __VERIFIER_error(7);
	    }
	}

	void calculate_outputm1(int input) {
	    if(((((a284 == 2) && ((!(a317 == 1)) && (a281 == 7))) || (((((a324 == 13) && (a284 == 2)) && (a281 == 5)) && (a317 == 1)) && (a284 == 3))) && ((cf==1) && (input == 3)))){
	    	cf = 0;
	    	 printf("%d\n", 18); fflush(stdout);
	    }
	    if(((input == 3) && ((cf==1) && ((((a252 != 8) && (a281 == 6)) && (((a121 == 3) || (a121 == 4)))) && (a324 == 11))))){
	    	cf = 0;
	    	 printf("%d\n", 16); fflush(stdout);
	    }
	    if(((cf==1) && (((!(a317 == 1)) && ((a252 == 10) && (a324 == 11))) && (input == 6)))){
	    	cf = 0;
	    	a252 = 10;
	    	a252 = 9;
	    	a121 = 2;
	    	a317 = 1;
	    	 printf("%d\n", 17); fflush(stdout);
	    }
	    if(((cf==1) && (((((a121 == 3) && ((a281 == 6) && (!(a252 == 8)))) && (a317 != 1)) || ((a121 == 3) && ((a284 == 3) && ((a281 == 7) && ((a324 == 13) && (!(a317 == 1))))))) && (input == 2)))){
	    	cf = 0;
	    	a121 = 2;
	    	a281 = 5;
	    	a284 = 3;
	    	 printf("%d\n", 21); fflush(stdout);
	    }
	}

	void calculate_outputm2(int input) {
	    if(((((a281 == 6) && (a121 == 2)) && ((a281 == 5) || (a317 == 1))) && ((cf==1) && (input == 5)))){
	    	cf = 0;
	    	a324 = 13;
	    	a252 = 9;
	    	a284 = 4;
	    	a281 = 5;
	    	a121 = 5;
	    	a317 = 0;
	    	 printf("%d\n", 24); fflush(stdout);
	    }
	    if(((input == 6) && ((((a284 == 2) && ((a252 == 10) && (a121 == 2))) && (a324 == 11)) && (cf==1)))){
	    	cf = 0;
	    	a121 = 5;
	    	a281 = 5;
	    	a317 = 0;
	    	a252 = 9;
	    	a324 = 13;
	    	a284 = 4;
	    	 printf("%d\n", 16); fflush(stdout);
	    }
	    if(((((a121 == 5) && ((a317 == 1) && (a252 != 10))) && (a281 == 5)) && ((cf==1) && (input == 3)))){
	    	cf = 0;
	    	a252 = 10;
	    	a121 = 4;
	    	a324 = 12;
	    	a284 = 4;
	    	 printf("%d\n", 25); fflush(stdout);
	    }
	    if(((input == 5) && (!!(((((a324 == 11) && ((a317 == 1) && (a284 == 3))) && (((a121 == 4) || (a121 == 5)))) && ((!(a252 == 10)) && (a281 != 7))) && ((a324 == 12) || (a324 == 11))) && (cf==1)))){
	    	cf = 0;
	    	a281 = 6;
	    	a324 = 13;
	    	a121 = 3;
	    	 printf("%d\n", 21); fflush(stdout);
	    }
	    if((((input == 3) && (((a252 == 10) && (a121 == 2)) && (a284 == 2))) && (cf==1))){
	    	cf = 0;
	    	a281 = 7;
	    	a284 = 4;
	    	a324 = 13;
	    	a317 = 0;
	    	 printf("%d\n", 22); fflush(stdout);
	    }
	    if(((((!(a284 == 3)) && (a317 == 1)) && (((!(a324 == 12)) && (a281 != 6)) && (a121 == 2))) && ((cf==1) && (input == 2)))){
	    	cf = 0;
	    	a324 = 12;
	    	a284 = 4;
	    	a317 = 0;
	    	a121 = 3;
	    	a252 = 8;
	    	 printf("%d\n", 24); fflush(stdout);
	    }
	    if(((((a252 == 8) && (a317 == 1)) && ((a281 == 5) && (a324 == 11))) && ((cf==1) && (input == 6)))){
	    	cf = 0;
	    	a324 = 12;
	    	a317 = 0;
	    	a252 = 10;
	    	a121 = 2;
	    	 printf("%d\n", 25); fflush(stdout);
	    }
	    if(((input == 5) && ((cf==1) && (((a324 == 11) && ((a252 == 9) && (a284 == 2))) && (a317 == 1))))){
	    	cf = 0;
	    	a281 = 5;
	    	a252 = 10;
	    	a284 = 3;
	    	a317 = 1;
	    	a317 = 0;
	    	a324 = 12;
	    	 printf("%d\n", 21); fflush(stdout);
	    }
	    if((((cf==1) && ((((a324 == 13) && ((a284 == 3) && (a281 == 5))) && (a317 == 1)) && (((a284 == 4) && ((a317 == 1) && (a324 == 11))) && (a281 == 7)))) && (input == 5))){
	    	cf = 0;
	    	a317 = 0;
	    	a121 = 3;
	    	a284 = 2;
	    	a284 = 4;
	    	a252 = 8;
	    	a324 = 12;
	    	a281 = 7;
	    	 printf("%d\n", 22); fflush(stdout);
	    }
	}

	void calculate_outputm3(int input) {
	    if(((input == 2) && ((cf==1) && (((((((a121 == 3) || (a121 == 4))) && ((a252 != 8) && ((a281 == 7) && (!(a317 == 1))))) || ((a317 == 1) && ((a324 == 11) && (a252 == 10)))) && ((a284 == 2) || (a281 == 7))) || (((((a324 == 11) && (a317 == 1)) && (a281 == 5)) && (a284 == 4)) && (a281 == 6)))))){
	    	cf = 0;
	    	a121 = 4;
	    	a281 = 7;
	    	a317 = 0;
	    	 printf("%d\n", 20); fflush(stdout);
	    }
	}

	void calculate_outputm4(int input) {
	    if(((cf==1) && (a317 != 1))){
	    	calculate_outputm1(input);
	    }
	    if(((a317 == 1) && (cf==1))){
	    	calculate_outputm2(input);
	    }
	    if((cf==1)){
	    	calculate_outputm3(input);
	    }
	}

	void calculate_outputm5(int input) {
	    if((((input == 3) && ((a284 == 4) && ((a252 == 8) && (a324 != 11)))) && (cf==1))){
	    	cf = 0;
	    	a281 = 5;
	    	a317 = 1;
	    	a121 = 5;
	    	a284 = 3;
	    	a324 = 11;
	    	 printf("%d\n", 21); fflush(stdout);
	    }
	    if((((cf==1) && (input == 6)) && (((a252 == 8) && ((a324 == 12) && (a284 == 4))) && ((a284 == 4) || (a317 == 1))))){
	    	cf = 0;
	    	a121 = 2;
	    	a317 = 1;
	    	a252 = 9;
	    	a284 = 2;
	    	a324 = 11;
	    	 printf("%d\n", 20); fflush(stdout);
	    }
	    if(((input == 3) && ((cf==1) && ((((a252 == 10) && ((a284 == 3) && (a281 == 5))) && (a317 != 1)) && (a121 == 2))))){
	    	cf = 0;
	    	a252 = 9;
	    	a317 = 1;
	    	a284 = 2;
	    	a281 = 7;
	    	a324 = 11;
	    	 printf("%d\n", 23); fflush(stdout);
	    }
	    if(((input == 5) && ((cf==1) && ((a317 != 1) && ((a252 != 10) && ((a281 == 7) && ((a121 == 5) && (a324 == 12)))))))){
	    	cf = 0;
	    	a284 = 4;
	    	a281 = 7;
	    	a121 = 3;
	    	 printf("%d\n", 20); fflush(stdout);
	    }
	    if(((input == 2) && (((a252 != 10) && (((a281 == 7) && (a324 == 12)) && ((((a121 == 4) || (a121 == 5))) && (a284 == 3)))) && (cf==1)))){
	    	cf = 0;
	    	a324 = 13;
	    	a281 = 6;
	    	a284 = 2;
	    	 printf("%d\n", 22); fflush(stdout);
	    }
	    if((((a121 == 3) && (((a324 == 12) && (a281 == 7)) && (a284 == 4))) && ((cf==1) && (input == 5)))){
	    	cf = 0;
	    	a252 = 10;
	    	a121 = 5;
	    	a324 = 13;
	    	a317 = 1;
	    	 printf("%d\n", 19); fflush(stdout);
	    }
	    if((((input == 6) && ((a284 == 3) && ((a281 == 7) && (!(a317 == 1))))) && (cf==1))){
	    	cf = 0;
	    	a121 = 3;
	    	a284 = 4;
	    	 printf("%d\n", 22); fflush(stdout);
	    }
	    if((((cf==1) && (input == 3)) && ((((!(a317 == 1)) && (((a121 == 4) || (a121 == 5)))) && (a284 == 3)) && (a324 == 12)))){
	    	cf = 0;
	    	a121 = 2;
	    	a281 = 5;
	    	a252 = 10;
	    	 printf("%d\n", 24); fflush(stdout);
	    }
	    if((((cf==1) && ((a121 == 3) && ((!(a284 == 3)) && (a252 == 8)))) && (input == 2))){
	    	cf = 0;
	    	a121 = 5;
	    	a284 = a284;
	    	a284 = 3;
	    	a281 = 6;
	    	a281 = 5;
	    	a317 = 1;
	    	a324 = 11;
	    	 printf("%d\n", 19); fflush(stdout);
	    }
	    if((((cf==1) && (input == 5)) && (((((a317 != 1) && (a284 == 3)) && (a324 == 12)) && (a281 == 6)) && ((((a324 == 11) && (a281 == 6)) && (a284 == 3)) && (a317 == 1))))){
	    	cf = 0;
	    	a121 = 5;
	    	a324 = 13;
	    	a252 = 8;
	    	a281 = 6;
	    	a317 = 0;
	    	a284 = 2;
	    	a284 = 2;
	    	 printf("%d\n", 19); fflush(stdout);
	    }
	}

	void calculate_outputm6(int input) {
	    if((((cf==1) && (input == 2)) && (((((a252 == 8) && ((a284 == 2) && (a317 == 1))) && (a324 == 13)) && ((a324 == 13) || (a252 == 8))) || ((a121 == 2) && ((a284 == 4) && (((a324 == 12) && (a281 == 5)) && (!(a317 == 1)))))))){
	    	cf = 0;
	    	a324 = 11;
	    	a252 = 10;
	    	a121 = 2;
	    	 printf("%d\n", 26); fflush(stdout);
	    }
	    if((((((a121 == 5) && (a281 == 6)) && ((a317 != 1) && (a324 == 13))) && (cf==1)) && (input == 2))){
	    	cf = 0;
	    	a281 = 7;
	    	a324 = 12;
	    	a284 = 3;
	    	 printf("%d\n", 21); fflush(stdout);
	    }
	    if((((cf==1) && (input == 5)) && (((a284 == 4) && (((a281 != 5) && (((a121 == 4) || (a121 == 5)))) && (a252 == 10))) || (((a324 == 11) && (((a281 == 5) && (a317 != 1)) && (a284 == 2))) && (a324 == 12))))){
	    	cf = 0;
	    	a281 = 5;
	    	a121 = 4;
	    	a121 = 2;
	    	a317 = 0;
	    	a284 = 3;
	    	a324 = 12;
	    	 printf("%d\n", 21); fflush(stdout);
	    }
	    if((((((a284 == 4) && (!(a324 == 11))) && (a317 == 1)) && (a121 == 5)) && ((cf==1) && (input == 2)))){
	    	cf = 0;
	    	a281 = 5;
	    	a324 = 11;
	    	a284 = 3;
	    	a121 = 5;
	    	a252 = 10;
	    	a252 = 8;
	    	 printf("%d\n", 23); fflush(stdout);
	    }
	    if((((a252 == 9) && (((a324 == 13) && (a281 == 5)) && (a284 == 4))) && ((cf==1) && (input == 3)))){
	    	cf = 0;
	    	a252 = 8;
	    	a284 = 2;
	    	a317 = 1;
	    	a121 = 4;
	    	a281 = 6;
	    	 printf("%d\n", 21); fflush(stdout);
	    }
	    if((((cf==1) && (((a317 != 1) && (a281 == 5)) && (a121 == 5))) && (input == 5))){
	    	cf = 0;
	    	a284 = 2;
	    	a121 = 4;
	    	a121 = 4;
	    	a281 = 6;
	    	a317 = 1;
	    	a252 = 8;
	    	 printf("%d\n", 16); fflush(stdout);
	    }
	    if((((input == 6) && (cf==1)) && !!((((a121 == 4) && ((a252 == 8) && (a284 == 2))) && (a281 == 6)) && (a324 == 13)))){
	    	cf = 0;
	    	a252 = 10;
	    	a324 = 11;
	    	a121 = a284;
	    	 printf("%d\n", 18); fflush(stdout);
	    }
	    if((((input == 6) && (((a121 == 5) && (a317 == 1)) && (a281 != 5))) && (cf==1))){
	    	cf = 0;
	    	a252 = 8;
	    	a284 = 3;
	    	a317 = 0;
	    	a324 = 12;
	    	 printf("%d\n", 26); fflush(stdout);
	    }
	    if(((input == 3) && ((cf==1) && ((((a317 == 1) && (a284 == 4)) && (a324 == 13)) || (((((a284 == 2) && (a317 != 1)) && (a324 == 12)) && (a281 == 6)) && (!(a317 == 1))))))){
	    	cf = 0;
	    	a324 = 11;
	    	a252 = 9;
	    	a252 = 9;
	    	a121 = 3;
	    	a317 = 0;
	    	a281 = 6;
	    	 printf("%d\n", 23); fflush(stdout);
	    }
	}

	void calculate_outputm7(int input) {
	    if((((((a324 == 11) && ((a281 == 7) && (a317 == 1))) && (a284 == 4)) && ((a284 == 2) && (((a317 == 1) && (a324 == 13)) && (a281 == 5)))) && ((cf==1) && (input == 2)))){
	    	cf = 0;
	    	a281 = 6;
	    	a324 = 13;
	    	a317 = 1;
	    	a252 = 8;
	    	a284 = 2;
	    	a121 = 4;
	    	 printf("%d\n", 24); fflush(stdout);
	    }
	}

	void calculate_output(int input) {
	    cf = 1;

	    if(((a324 == 13) && (cf==1))){
	    	calculate_outputm6(input);
	    }
	    if(((cf==1) && (((a284 == 4) && ((a324 == 11) && (a317 == 1))) && (a281 == 6)))){
	    	calculate_outputm7(input);
	    }
	    if(((cf==1) && (a324 == 11))){
	    	calculate_outputm4(input);
	    }
	    if(((cf==1) && (a324 == 12))){
	    	calculate_outputm5(input);
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
        if((input != 6) && (input != 5) && (input != 2) && (input != 3))
          return -2;
        calculate_output(input);
    }
}
