import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Random;

// A ticket kiosk: coins (A: 1, B: 2), a zone button (C), print (D), cancel (E). Prices depend on the zone.
public class Kiosk {
	public Random random = new Random();
	static BufferedReader stdin = new BufferedReader(new InputStreamReader(System.in));

	private String[] inputs = {"A","B","C","D","E"};

	public static int credit = 0;
	public static int zone = 1;
	public static int tickets = 3;
	public static int mode = 7;
	public static int[] prices = {2,3,5};
	public static int change;
	public static boolean cf = true;

	private void errorCheck() {
	    if(((mode==8) && (change < 0))){
	    	cf = (false);
	    	throw new IllegalStateException( "error_0" );
	    }
	    if(((mode==9) && (tickets==0))){
	    	cf = (false);
	    	throw new IllegalStateException( "error_1" );
	    }
	    if((credit > 6)){
	    	cf = (false);
	    	throw new IllegalStateException( "error_2" );
	    }
	    if(((mode==8) && (change==3))){
	    	cf = (false);
	    	throw new IllegalStateException( "error_3" );
	    }
	    if((((zone==3) && (mode==9)) && (change==2))){
	    	cf = (false);
	    	throw new IllegalStateException( "error_4" );
	    }
	    if((tickets < 0)){
	    	cf = (false);
	    	throw new IllegalStateException( "error_5" );
	    }
	}

private  void calculateOutputm1(String input) {
    if(((((credit + 1) <= 6) && cf) && input.equals("A"))) {
    	cf = (false);
    	credit += (credit + 20) > credit ? 1 : 0;
    	System.out.println(  "X"  );
    } else{
    	if((((credit <= 4) && cf) && input.equals(inputs[1]))) {
    		cf = (false);
    		credit = (credit + 2);
    		System.out.println(  "X"  );
    	}
    }
    if((cf && input.equals("C"))) {
    	cf = (false);
    	zone = ((zone % 3) + 1);
    	System.out.println(  "Y"  );
    }
}
private  void calculateOutputm2(String input) {
    if(((cf && input.equals("D")) && (credit >= prices[(zone - 1)]))) {
    	cf = (false);
    	change = (credit - prices[(zone - 1)]);
    	credit -= credit;
    	tickets -= (tickets - 20) < tickets ? 1 : 0;
    	mode = ((tickets==0) ? 9 : 8);
    	System.out.println(  "Z"  );
    }
    if((input.equals(inputs[4]) && (cf && (credit > 0)))) {
    	cf = (false);
    	change = (-(-credit));
    	credit = 0;
    	System.out.println(  "U"  );
    }
}
private  void calculateOutputm3(String input) {
    if((cf && input.equals("E"))) {
    	cf = (false);
    	change = 0;
    	mode = 7;
    	System.out.println(  "V"  );
    }
}

public  void calculateOutput(String input) {
 	cf = true;
    if(((mode==7) && cf)){
    	calculateOutputm1(input);
    }
    if((cf && (mode==7))){
    	calculateOutputm2(input);
    }
    if(((mode >= 8) && cf)){
    	calculateOutputm3(input);
    }

    errorCheck();
    if(cf)
    	throw new IllegalArgumentException("Current state has no transition for this input!");
}

public static void main(String[] args) throws Exception
	{
	     // init system and input reader
            Kiosk eca = new Kiosk();

			// main i/o-loop
            while(true)
            {
            	//read input
                String input = stdin.readLine();
                try{
                	 //operate eca engine output =
                	 eca.calculateOutput(input);
                } catch(IllegalArgumentException e){
    	    		System.err.println("Invalid input: " + e.getMessage());
                }
	    	}
	}
}
