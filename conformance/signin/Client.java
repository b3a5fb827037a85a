import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.HttpPipelineCallContext;
import com.azure.core.http.policy.HttpPipelinePolicy;
import com.azure.core.http.policy.HttpPipelineSyncPolicy;
import com.azure.core.util.BinaryData;
import com.azure.data.tables.TableServiceClientBuilder;
import com.azure.data.tables.models.TableEntity;
import com.azure.identity.DefaultAzureCredentialBuilder;
import com.azure.storage.blob.BlobClientBuilder;
import com.azure.storage.blob.BlobServiceClientBuilder;
import com.azure.storage.blob.sas.BlobSasPermission;
import com.azure.storage.blob.sas.BlobServiceSasSignatureValues;
import com.azure.storage.file.datalake.DataLakeServiceClientBuilder;
import com.azure.storage.file.share.ShareServiceClientBuilder;
import com.azure.storage.file.share.models.ShareTokenIntent;
import com.azure.storage.queue.QueueServiceClientBuilder;
import java.io.ByteArrayOutputStream;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.time.OffsetDateTime;

/** Writes and reads with DefaultAzureCredential and the endpoints that `lazuli run` sets. */
public class Client {
    static void equal(Object got, Object expected) {
        if (!got.equals(expected)) {
            throw new AssertionError(got + ", not " + expected);
        }
    }

    public static void main(String[] arguments) {
        var credential = new DefaultAzureCredentialBuilder().build();

        var blobs = new BlobServiceClientBuilder().endpoint(System.getenv("AZURE_STORAGE_BLOB_ENDPOINT")).credential(credential).buildClient();
        equal(URI.create(blobs.getAccountUrl()).getScheme(), "https");
        var blob = blobs.createBlobContainer("box").getBlobClient("a");
        blob.upload(BinaryData.fromString("blob"));
        equal(blob.downloadContent().toString(), "blob");

        var start = OffsetDateTime.now().minusMinutes(5);
        var expiry = OffsetDateTime.now().plusHours(1);
        var values = new BlobServiceSasSignatureValues(expiry, BlobSasPermission.parse("r")).setStartTime(start);
        String signature = blob.generateUserDelegationSas(values, blobs.getUserDelegationKey(start, expiry));
        var signed = new BlobClientBuilder().endpoint(blob.getBlobUrl() + "?" + signature).buildClient();
        equal(signed.downloadContent().toString(), "blob");

        var queues = new QueueServiceClientBuilder().endpoint(System.getenv("AZURE_STORAGE_QUEUE_ENDPOINT")).credential(credential);
        var queue = queues.buildClient().createQueue("work");
        queue.sendMessage("message");
        equal(queue.receiveMessage().getBody().toString(), "message");

        var tables = new TableServiceClientBuilder().endpoint(System.getenv("AZURE_STORAGE_TABLE_ENDPOINT")).credential(credential);
        var table = tables.buildClient().createTable("people");
        table.createEntity(new TableEntity("p", "r").addProperty("Age", 7));
        equal(table.getEntity("p", "r").getProperty("Age"), 7);

        // The SDK for shares drops port and path of an endpoint, so the host names the account, and a policy leads to the server.
        var files = new ShareServiceClientBuilder().endpoint("https://" + System.getenv("AZURE_STORAGE_ACCOUNT") + ".file.localhost")
            .addPolicy(towards(URI.create(System.getenv("AZURE_STORAGE_FILE_ENDPOINT"))))
            .shareTokenIntent(ShareTokenIntent.BACKUP).credential(credential);
        var file = files.buildClient().createShare("share").createFile("a", 4);
        file.upload(BinaryData.fromString("file").toStream(), 4, null);
        var content = new ByteArrayOutputStream();
        file.download(content);
        equal(content.toString(), "file");

        var lake = new DataLakeServiceClientBuilder().endpoint(System.getenv("AZURE_STORAGE_DFS_ENDPOINT")).credential(credential);
        var page = lake.buildClient().createFileSystem("lake").getFileClient("a");
        page.upload(BinaryData.fromString("lake"), true);
        content.reset();
        page.read(content);
        equal(content.toString(), "lake");
        System.exit(0);
    }

    static HttpPipelinePolicy towards(URI server) {
        return new HttpPipelineSyncPolicy() {
            @Override
            protected void beforeSendingRequest(HttpPipelineCallContext context) {
                var request = context.getHttpRequest();
                request.setHeader(HttpHeaderName.HOST, request.getUrl().getHost());
                try {
                    request.setUrl(new URL(server.getScheme(), server.getHost(), server.getPort(), request.getUrl().getFile()));
                } catch (MalformedURLException failure) {
                    throw new AssertionError(failure);
                }
            }
        };
    }
}
