import java.io.BufferedReader;
import java.io.InputStreamReader;

// A transfer robot between two stations: names of inputs and outputs as in models of components; tables are exchanged by reference.
public class Robot {
	static BufferedReader stdin = new BufferedReader(new InputStreamReader(System.in));

	private String[] inputs = {"ctl_pick","ctl_place","drv_arrived","drv_timeout","usr_reset"};

	public String a101 = "e";
	public String a102 = "g";
	public int a103 = 0;
	public int a104 = -3;
	public int[] a105 = {4,5,6,7};
	public int[] a106 = {8,9,10,11};
	public int[] a107 = a105;
	public int a108 = 4;
	public boolean a109 = true;
	public boolean cf = true;

	private void errorCheck() {
	    if((((a101.equals("h")) && (a103 == 3)) && !a109)){
	    	cf = false;
	    	Errors.__VERIFIER_error(0);
	    }
	    if(((a108 == a106[3]) && (a102.equals("f")))){
	    	cf = false;
	    	Errors.__VERIFIER_error(1);
	    }
	    if(((a107[0] == 8) && (a101.equals("e")))){
	    	cf = false;
	    	Errors.__VERIFIER_error(2);
	    }
	    if(((a104 < -12) || ((a104 / 2) == 4))){
	    	cf = false;
	    	Errors.__VERIFIER_error(3);
	    }
	    if(((-3 < a104) && (a101.equals("i")))){
	    	cf = false;
	    	Errors.__VERIFIER_error(4);
	    }
	    if(((a108 == a107[2]) && (a103 > 3))){
	    	cf = false;
	    	Errors.__VERIFIER_error(5);
	    }
	}private  void calculateOutputm10(String input) {
    if(((input.equals("ctl_pick")) && ((a102.equals("g")) && cf))) {
    	cf = false;
    	a101 = "f";
    	a108 = a107[1];
    	System.out.println("ctl_moving");
    } if((((input.equals("ctl_place")) && cf) && (a108 == 5))) {
    	cf = false;
    	a101 = "f";
    	a102 = "f";
    	System.out.println("ctl_moving");
    }
}
private  void calculateOutputm11(String input) {
    if((cf && (input.equals("drv_arrived")))) {
    	cf = false;
    	if(((a102.equals("g")) && a109)) {
    	a101 = "e";
    	a109 = false;
    	} else{
    	a101 = "h";
    	a107 = a106;
    	a108 = a107[3];
    	}
    	System.out.println("ctl_done");
    } if(((input.equals("drv_timeout")) && (cf && (a103 < 3)))) {
    	cf = false;
    	a103 = (a103 + 1);
    	a104 = ((a104 * 2) % 7);
    	System.out.println("drv_retry");
    } if((((a103 >= 3) && (input.equals(inputs[3]))) && cf)) {
    	cf = false;
    	a101 = "i";
    	System.out.println("usr_alarm");
    }
}
private  void calculateOutputm12(String input) {
    if((cf && ((input.equals("usr_reset")) && !(a103 == 0)))) {
    	cf = false;
    	a103 = ((a103 - 1));
    	a107 = a105;
    	a109 = true;
    	a101 = "e";
    	a102 = "g";
    	a108 = 4;
    	System.out.println("usr_ready");
    }
}
public  void calculateOutput(String input) {
 	cf = true;
    if((cf && (a101.equals("e")))) {
    	calculateOutputm10(input);
    }
    if(((a101.equals("f")) && cf)) {
    	calculateOutputm11(input);
    }
    if((cf && ((a101.equals("h")) || (a101.equals("i"))))) {
    	calculateOutputm12(input);
    }

    errorCheck();
    if(cf)
    	throw new IllegalArgumentException("Current state has no transition for this input!");
}


public static void main(String[] args) throws Exception {
	// init system and input reader
	Robot eca = new Robot();

	// main i/o-loop
	while(true) {
		//read input
		String input = stdin.readLine();

		 if((input.equals("ctl_pick")) && (input.equals("ctl_place")) && (input.equals("drv_arrived")) && (input.equals("drv_timeout")) && (input.equals("usr_reset")))
			throw new IllegalArgumentException("Current state has no transition for this input!");
		try {
			//operate eca engine output =
			eca.calculateOutput(input);
		} catch(IllegalArgumentException e) {
			System.err.println("Invalid input: " + e.getMessage());
		}
	}
}
}
