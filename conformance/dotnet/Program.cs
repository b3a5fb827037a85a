// A small run of the .NET SDKs. Each test makes what it needs under a name of its own and removes it; a line tells how it went.
using System.Text;
using Azure;
using Azure.Data.Tables;
using Azure.Storage.Blobs;
using Azure.Storage.Blobs.Models;
using Azure.Storage.Blobs.Specialized;
using Azure.Storage.Queues;
using Azure.Storage.Sas;
using ShareFileClient = Azure.Storage.Files.Shares.ShareFileClient;
using ShareServiceClient = Azure.Storage.Files.Shares.ShareServiceClient;

var connection = Environment.GetEnvironmentVariable("AZURE_STORAGE_CONNECTION_STRING")
    ?? "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;"
    + "AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;"
    + "BlobEndpoint=http://127.0.0.1:10000/devstoreaccount1;QueueEndpoint=http://127.0.0.1:10001/devstoreaccount1;"
    + "TableEndpoint=http://127.0.0.1:10002/devstoreaccount1;FileEndpoint=http://127.0.0.1:10003/devstoreaccount1;";
var control = Environment.GetEnvironmentVariable("LAZULI_CONTROL_URL");
var only = args.FirstOrDefault();

var blobs = new BlobServiceClient(connection);
var queues = new QueueServiceClient(connection);
var tables = new TableServiceClient(connection);
var shares = new ShareServiceClient(connection);
var tests = new List<(string Name, Func<Task> Run)>();

void Test(string name, Func<Task> run) => tests.Add((name, run));
string Name() => "dotnet" + Guid.NewGuid().ToString("N")[..20];

void Equal<T>(T expected, T actual)
{
    if (!EqualityComparer<T>.Default.Equals(expected, actual)) throw new Exception($"expected {expected}, got {actual}");
}

async Task Refused(int status, string code, Func<Task> request)
{
    try
    {
        await request();
    }
    catch (RequestFailedException error)
    {
        Equal((status, code), (error.Status, error.ErrorCode ?? ""));
        return;
    }
    throw new Exception($"it succeeded; {status} {code} was expected");
}

async Task InContainer(Func<BlobContainerClient, Task> use)
{
    var container = (await blobs.CreateBlobContainerAsync(Name())).Value;
    try
    {
        await use(container);
    }
    finally
    {
        await container.DeleteAsync();
    }
}

Test("a blob is uploaded, read, described and deleted", () => InContainer(async container =>
{
    var blob = container.GetBlobClient("folder/hello world.txt");
    var options = new BlobUploadOptions
    {
        HttpHeaders = new BlobHttpHeaders { ContentType = "text/plain" },
        Metadata = new Dictionary<string, string> { ["kind"] = "greeting" },
        Tags = new Dictionary<string, string> { ["language"] = "en" },
    };
    await blob.UploadAsync(BinaryData.FromString("hello"), options);
    Equal("hello", (await blob.DownloadContentAsync()).Value.Content.ToString());
    var properties = (await blob.GetPropertiesAsync()).Value;
    Equal("text/plain", properties.ContentType);
    Equal("greeting", properties.Metadata["kind"]);
    Equal(5L, properties.ContentLength);
    Equal("en", (await blob.GetTagsAsync()).Value.Tags["language"]);
    await blob.DeleteAsync();
    Equal(false, (await blob.ExistsAsync()).Value);
    await Refused(404, "BlobNotFound", () => blob.DownloadContentAsync());
}));

Test("a large blob goes up in blocks and comes down in ranges", () => InContainer(async container =>
{
    var content = new byte[9 << 20];
    new Random(1).NextBytes(content);
    var blob = container.GetBlobClient("large");
    var transfer = new Azure.Storage.StorageTransferOptions { InitialTransferSize = 1 << 20, MaximumTransferSize = 1 << 20, MaximumConcurrency = 4 };
    await blob.UploadAsync(new MemoryStream(content), new BlobUploadOptions { TransferOptions = transfer });
    Equal(9, (await container.GetBlockBlobClient("large").GetBlockListAsync()).Value.CommittedBlocks.Count());
    using var read = new MemoryStream();
    await blob.DownloadToAsync(read, new BlobDownloadToOptions { TransferOptions = transfer });
    Equal(true, content.AsSpan().SequenceEqual(read.ToArray()));
}));

Test("blobs are listed by page and by folder", () => InContainer(async container =>
{
    foreach (var name in new[] { "a/1", "a/2", "b/1", "c" }) await container.UploadBlobAsync(name, BinaryData.FromString(name));
    var pages = 0;
    await foreach (var page in container.GetBlobsAsync().AsPages(pageSizeHint: 3)) pages += page.Values.Count > 0 ? 1 : 0;
    Equal(2, pages);
    var found = new List<string>();
    await foreach (var item in container.GetBlobsByHierarchyAsync(delimiter: "/")) found.Add(item.IsPrefix ? item.Prefix : item.Blob.Name);
    Equal("a/ b/ c", string.Join(' ', found));
}));

Test("conditions and leases hold", () => InContainer(async container =>
{
    var blob = container.GetBlobClient("guarded");
    var first = (await blob.UploadAsync(BinaryData.FromString("one"))).Value.ETag;
    await Refused(409, "BlobAlreadyExists", () => blob.UploadAsync(BinaryData.FromString("two")));
    await blob.UploadAsync(BinaryData.FromString("two"), overwrite: true);
    var stale = new BlobUploadOptions { Conditions = new BlobRequestConditions { IfMatch = first } };
    await Refused(412, "ConditionNotMet", () => blob.UploadAsync(BinaryData.FromString("three"), stale));
    var lease = blob.GetBlobLeaseClient();
    await lease.AcquireAsync(TimeSpan.FromSeconds(15));
    await Refused(412, "LeaseIdMissing", () => blob.DeleteAsync());
    await lease.ReleaseAsync();
    await blob.DeleteAsync();
}));

Test("append blobs and page blobs take pieces", () => InContainer(async container =>
{
    var append = container.GetAppendBlobClient("log");
    await append.CreateAsync();
    foreach (var line in new[] { "one\n", "two\n" }) await append.AppendBlockAsync(new MemoryStream(Encoding.UTF8.GetBytes(line)));
    Equal("one\ntwo\n", (await append.DownloadContentAsync()).Value.Content.ToString());
    var page = container.GetPageBlobClient("disk");
    await page.CreateAsync(4096);
    await page.UploadPagesAsync(new MemoryStream(new byte[512]), 1024);
    var ranges = new List<(long?, long?)>();
    await foreach (var range in page.GetAllPageRangesAsync()) ranges.Add((range.Range.Offset, range.Range.Length));
    Equal((1024L, 512L), ranges.Select(one => (one.Item1 ?? 0, one.Item2 ?? 0)).Single());
}));

Test("a snapshot keeps what a blob was", () => InContainer(async container =>
{
    var blob = container.GetBlobClient("changing");
    await blob.UploadAsync(BinaryData.FromString("before"));
    var snapshot = (await blob.CreateSnapshotAsync()).Value.Snapshot;
    await blob.UploadAsync(BinaryData.FromString("after"), overwrite: true);
    Equal("before", (await blob.WithSnapshot(snapshot).DownloadContentAsync()).Value.Content.ToString());
    await blob.DeleteAsync(DeleteSnapshotsOption.IncludeSnapshots);
}));

Test("a signature gives what it names and no more", () => InContainer(async container =>
{
    var blob = container.GetBlobClient("shared");
    await blob.UploadAsync(BinaryData.FromString("hello"));
    var reader = new BlobClient(blob.GenerateSasUri(BlobSasPermissions.Read, DateTimeOffset.UtcNow.AddYears(10)));
    Equal("hello", (await reader.DownloadContentAsync()).Value.Content.ToString());
    await Refused(403, "AuthorizationPermissionMismatch", () => reader.DeleteAsync());
}));

Test("a message is hidden while somebody works on it", async () =>
{
    var queue = (await queues.CreateQueueAsync(Name())).Value;
    await queue.SendMessageAsync("hello");
    Equal("hello", (await queue.PeekMessageAsync()).Value.Body.ToString());
    var message = (await queue.ReceiveMessageAsync(TimeSpan.FromSeconds(60))).Value;
    Equal(true, (await queue.ReceiveMessageAsync()).Value is null);
    var receipt = (await queue.UpdateMessageAsync(message.MessageId, message.PopReceipt, "again", TimeSpan.Zero)).Value.PopReceipt;
    await Refused(404, "MessageNotFound", () => queue.DeleteMessageAsync(message.MessageId, message.PopReceipt));
    Equal("again", (await queue.PeekMessageAsync()).Value.Body.ToString());
    await queue.DeleteMessageAsync(message.MessageId, receipt);
    Equal(0, (await queue.GetPropertiesAsync()).Value.ApproximateMessagesCount);
    await queue.DeleteAsync();
});

Test("a hidden message is visible again after its time", async () =>
{
    if (control is null) return; // the clock cannot be moved
    var queue = (await queues.CreateQueueAsync(Name())).Value;
    await queue.SendMessageAsync("hello");
    await queue.ReceiveMessageAsync(TimeSpan.FromSeconds(60));
    using var http = new HttpClient();
    (await http.PostAsync($"{control}/clock?seconds=61", null)).EnsureSuccessStatusCode();
    Equal(2L, (await queue.ReceiveMessageAsync()).Value.DequeueCount);
    await queue.DeleteAsync();
});

Test("entities are inserted, merged, queried and guarded by their ETag", async () =>
{
    var table = tables.GetTableClient(Name());
    await table.CreateAsync();
    for (var row = 0; row < 5; row++)
    {
        await table.AddEntityAsync(new TableEntity("cats", $"{row}") { ["Age"] = row, ["Born"] = DateTimeOffset.UnixEpoch, ["Id"] = Guid.Empty, ["Weight"] = 4.5, ["Count"] = 1L << 40 });
    }
    await Refused(409, "EntityAlreadyExists", () => table.AddEntityAsync(new TableEntity("cats", "0")));
    var old = (await table.GetEntityAsync<TableEntity>("cats", "3")).Value;
    Equal(1L << 40, old.GetInt64("Count"));
    await table.UpdateEntityAsync(new TableEntity("cats", "3") { ["Name"] = "Tom" }, old.ETag, TableUpdateMode.Merge);
    await Refused(412, "UpdateConditionNotSatisfied", () => table.UpdateEntityAsync(new TableEntity("cats", "3"), old.ETag, TableUpdateMode.Replace));
    var found = new List<string>();
    await foreach (var cat in table.QueryAsync<TableEntity>("Age ge 2 and Age lt 4", maxPerPage: 1)) found.Add(cat.RowKey);
    Equal("2 3", string.Join(' ', found));
    await table.DeleteAsync();
});

Test("a transaction does everything or nothing", async () =>
{
    var table = tables.GetTableClient(Name());
    await table.CreateAsync();
    await table.AddEntityAsync(new TableEntity("cats", "1"));
    var actions = new[] { "0", "1" }.Select(row => new TableTransactionAction(TableTransactionActionType.Add, new TableEntity("cats", row)));
    await Refused(409, "EntityAlreadyExists", () => table.SubmitTransactionAsync(actions));
    Equal(false, (await table.GetEntityIfExistsAsync<TableEntity>("cats", "0")).HasValue);
    await table.DeleteAsync();
});

Test("a file is written and read in its directory", async () =>
{
    var share = (await shares.CreateShareAsync(Name())).Value;
    var directory = (await share.CreateDirectoryAsync("papers")).Value;
    ShareFileClient file = (await directory.CreateFileAsync("hello.txt", 5)).Value;
    await file.UploadAsync(new MemoryStream(Encoding.UTF8.GetBytes("hello")));
    using var reader = new StreamReader((await file.DownloadAsync()).Value.Content);
    Equal("hello", await reader.ReadToEndAsync());
    var names = new List<string>();
    await foreach (var item in directory.GetFilesAndDirectoriesAsync()) names.Add(item.Name);
    Equal("hello.txt", string.Join(' ', names));
    await Refused(409, "DirectoryNotEmpty", () => directory.DeleteAsync());
    await share.DeleteAsync();
});

var failed = 0;
foreach (var (name, run) in tests.Where(test => only is null || test.Name.Contains(only)))
{
    try
    {
        await run();
        Console.WriteLine($"ok: {name}");
    }
    catch (Exception error)
    {
        failed++;
        Console.WriteLine($"FAILED: {name}: {error.GetType().Name}: {error.Message}");
    }
}
return failed == 0 ? 0 : 1;
