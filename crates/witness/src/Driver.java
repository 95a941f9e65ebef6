import java.io.*;
import java.lang.reflect.*;
import java.net.*;
import java.nio.file.*;
import java.util.*;

/**
 * Plays the surroundings of a program of the challenge: runs its main once for each word of inputs, in a class loader of its
 * own, and marks where each step begins and how the run ended.
 *
 * Takes the folder of the compiled classes, the names of those that may have main, and a file: the number of runs, then for
 * each run its number of inputs and these, a line each. Marks are lines of the output that start with character 1.
 */
public class Driver {
    /** There are no more inputs. */
    static class Over extends Error {}

    /** Hands out a line at a time, so that each is read when it is asked for. */
    static class Inputs extends InputStream {
        final Deque<String> left;
        byte[] line = {};
        int at = 0;

        Inputs(Deque<String> left) {
            this.left = left;
        }

        @Override
        public int read() {
            byte[] one = new byte[1];
            read(one, 0, 1);
            return one[0];
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            if (at == line.length) {
                if (left.isEmpty()) throw new Over();
                System.out.print("\1step\n");
                System.out.flush();
                line = (left.poll() + "\n").getBytes();
                at = 0;
            }
            int count = Math.min(length, line.length - at);
            System.arraycopy(line, at, target, offset, count);
            at += count;
            return count;
        }

        @Override
        public int available() {
            return line.length - at;
        }
    }

    public static void main(String[] arguments) throws Exception {
        URL[] folder = {new File(arguments[0]).toURI().toURL()};
        Iterator<String> lines = Files.readAllLines(Paths.get(arguments[2])).iterator();
        for (int runs = Integer.parseInt(lines.next()); runs > 0; runs--) {
            Deque<String> inputs = new ArrayDeque<>();
            for (int left = Integer.parseInt(lines.next()); left > 0; left--) inputs.add(lines.next());
            System.out.print("\1run\n");
            System.setIn(new Inputs(inputs));
            String end;
            try (URLClassLoader loader = new URLClassLoader(folder, Driver.class.getClassLoader())) {
                program(loader, arguments[1]).invoke(null, (Object) new String[0]);
                end = "exit 0";
            } catch (InvocationTargetException thrown) {
                end = ending(thrown.getCause());
            }
            System.out.print("\1" + end + "\n");
            System.out.flush();
        }
    }

    static Method program(ClassLoader loader, String names) throws Exception {
        for (String name : names.split(",")) {
            try {
                return loader.loadClass(name).getMethod("main", String[].class);
            } catch (NoSuchMethodException other) {
                // A part of the program.
            }
        }
        throw new NoSuchMethodException("main");
    }

    static String ending(Throwable thrown) {
        if (thrown instanceof Over) return "inputs 0";
        if (thrown instanceof IllegalStateException) return "label " + thrown.getMessage();
        // As the processor would say it.
        if (thrown instanceof ArithmeticException) return "signal 8";
        if (thrown instanceof ArrayIndexOutOfBoundsException) return "signal 11";
        return "exit 1";
    }
}
