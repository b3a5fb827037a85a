import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The extension of JUnit: what a test changes is undone, and a test sees and disturbs requests. */
@ExtendWith(LazuliExtension.class)
class ClientTests {
    private static int send(LazuliExtension.Lazuli server, String method, String path) throws IOException, InterruptedException {
        String made = server.control("POST", "/sas", "{\"account\":\"devstoreaccount1\"}");
        String sas = made.replaceAll(".*\"sas\":\"([^\"]+)\".*", "$1");
        String blob = server.connectionString().replaceAll(".*BlobEndpoint=([^;]+);.*", "$1");
        HttpRequest request = HttpRequest.newBuilder(URI.create(blob + path + "&" + sas))
                .method(method, HttpRequest.BodyPublishers.ofString("")).build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
    }

    @RepeatedTest(2)
    void eachTestStartsEmpty(LazuliExtension.Lazuli server) throws IOException, InterruptedException {
        assertEquals(201, send(server, "PUT", "/new?restype=container"));
        server.advance(60);
    }

    @Test
    void faultsAndRequests(LazuliExtension.Lazuli server) throws IOException, InterruptedException {
        server.fault("{\"operation\":\"Create Container\",\"times\":1,\"do\":{\"error\":{\"code\":\"ServerBusy\"}}}");
        assertEquals(503, send(server, "PUT", "/new?restype=container"));
        assertTrue(server.requests("operation=Create%20Container&status=503&wait=5").contains("\"code\":\"ServerBusy\""));
        assertEquals(201, send(server, "PUT", "/new?restype=container"));
    }
}
