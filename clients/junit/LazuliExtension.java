import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * An Azure Storage server for tests with JUnit 5: {@code @ExtendWith(LazuliExtension.class)}. A test method with a parameter of the type
 * {@link Lazuli} has a connection string, and what the test changes is undone afterwards.
 */
public final class LazuliExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
    private static Lazuli server(ExtensionContext context) {
        // The store closes the server after the last test.
        return context.getRoot().getStore(ExtensionContext.Namespace.GLOBAL)
                .getOrComputeIfAbsent(Lazuli.class, key -> Lazuli.start(), Lazuli.class);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        server(context).checkpoint("test");
    }

    @Override
    public void afterEach(ExtensionContext context) {
        server(context).restore("test");
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Lazuli.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return server(context);
    }

    /** A server with {@code --control}. */
    public static final class Lazuli implements CloseableResource, AutoCloseable {
        private static final Pattern CONNECTION = Pattern.compile("Connection string[^:]*: (.*)");
        private static final Pattern ENDPOINT = Pattern.compile("BlobEndpoint=([^;]+)");

        private final HttpClient client = HttpClient.newHttpClient();
        private final String connectionString;
        private final String url;
        private final Process process;

        private Lazuli(String connectionString, Process process) {
            Matcher blob = ENDPOINT.matcher(connectionString);
            if (!blob.find()) {
                throw new IllegalArgumentException("the connection string has no BlobEndpoint");
            }
            URI endpoint = URI.create(blob.group(1));
            this.connectionString = connectionString;
            this.url = endpoint.getScheme() + "://" + endpoint.getAuthority() + "/_lazuli";
            this.process = process;
        }

        /** The server that LAZULI_CONNECTION_STRING names, or a process of its own on free ports, in memory. */
        public static Lazuli start() {
            String known = System.getenv("LAZULI_CONNECTION_STRING");
            if (known != null && !known.isEmpty()) {
                return new Lazuli(known, null);
            }
            String program = System.getenv().getOrDefault("LAZULI_BIN", "lazuli");
            List<String> command = List.of(program, "--control", "--silent", "--stop-with-stdin", "--blob-port=0",
                    "--queue-port=0", "--table-port=0", "--file-port=0");
            try {
                // The end of this process closes the pipe to its standard input, and the server stops.
                ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
                builder.environment().keySet().removeIf(name -> name.startsWith("LAZULI_"));
                Process process = builder.start();
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    Matcher found = CONNECTION.matcher(line);
                    if (found.matches()) {
                        return new Lazuli(found.group(1), process);
                    }
                }
                throw new IllegalStateException(program + " did not start: its standard error says why");
            } catch (IOException error) {
                throw new IllegalStateException("put lazuli on the path, or name it in LAZULI_BIN", error);
            }
        }

        public String connectionString() {
            return connectionString;
        }

        /** Saves the state of all accounts, and forgets the requests so far. */
        public void checkpoint(String name) {
            control("POST", "/checkpoints/" + name, "");
            control("DELETE", "/requests", "");
        }

        /** Returns to a checkpoint, and removes all faults. */
        public void restore(String name) {
            control("DELETE", "/faults", "");
            control("POST", "/checkpoints/" + name + "/restore", "");
        }

        /** Moves the clock forward: leases, signatures and messages expire without waiting. */
        public void advance(long seconds) {
            control("POST", "/clock?seconds=" + seconds, "");
        }

        /** Adds a fault, as JSON: {@code {"operation":"Put Blob","times":1,"do":{"cut":"after"}}}. */
        public void fault(String rule) {
            control("POST", "/faults", rule);
        }

        /**
         * The latest requests that match, as JSON: {@code requests("operation=Put%20Blob&wait=10")} waits for at most ten seconds until
         * one does.
         */
        public String requests(String query) {
            return control("GET", "/requests?" + query, "");
        }

        /** Sends a control request, and returns the JSON of the answer. */
        public String control(String method, String path, String body) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                    .method(method, HttpRequest.BodyPublishers.ofString(body)).build();
            try {
                HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
                if (response.statusCode() != 200) {
                    throw new IllegalStateException(method + " " + path + ": " + response.body());
                }
                return response.body().strip();
            } catch (IOException error) {
                throw new IllegalStateException(error);
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(error);
            }
        }

        @Override
        public void close() throws IOException, InterruptedException {
            if (process != null) {
                process.getOutputStream().close();
                process.waitFor();
            }
        }
    }
}
