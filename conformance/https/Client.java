import com.azure.core.util.BinaryData;
import com.azure.data.tables.TableServiceClientBuilder;
import com.azure.storage.blob.BlobServiceClientBuilder;
import com.azure.storage.queue.QueueServiceClientBuilder;

/** Writes and reads over https with the variables of `lazuli run`. */
public class Client {
    public static void main(String[] arguments) {
        String connection = System.getenv("AZURE_STORAGE_CONNECTION_STRING");
        var blobs = new BlobServiceClientBuilder().connectionString(connection).buildClient();
        if (!blobs.getAccountUrl().startsWith("https://")) {
            throw new AssertionError(blobs.getAccountUrl());
        }
        var blob = blobs.createBlobContainer("box").getBlobClient("a");
        blob.upload(BinaryData.fromString("blob"));
        if (!blob.downloadContent().toString().equals("blob")) {
            throw new AssertionError("another content");
        }
        new QueueServiceClientBuilder().connectionString(connection).buildClient().createQueue("work").sendMessage("message");
        new TableServiceClientBuilder().connectionString(connection).buildClient().createTable("people");
        // The SDK for shares drops the port of a URL with the account in the path, over http and https alike.
        System.exit(0);
    }
}
