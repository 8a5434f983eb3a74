import java.io.BufferedReader;
import java.io.InputStreamReader;

public class Bot {
    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            if (line.startsWith("{\"turn\""))
                System.out.println("{\"move\":" + Rules.first(line) + "}");
            else if (!line.startsWith("{\"end\""))
                System.out.println("{\"ready\":{\"legal_moves\":true}}");
        }
    }
}
