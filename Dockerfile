# Compiles the server and puts it beside a static busybox: small, and with the shell, nc, wget, grep and awk that health checks and test
# libraries expect inside. The image of a release is made by packaging/image/, from the same static binary.
FROM rust:1.95.0-alpine AS build
RUN apk add --no-cache musl-dev ca-certificates busybox-static
WORKDIR /lazuli
COPY Cargo.toml Cargo.lock ./
COPY src src
# Cargo.toml names them, so that cargo looks for them.
COPY benches benches
RUN cargo build --profile dist --locked --bin lazuli

FROM scratch
# Alpine's busybox: its nc knows -z, by which most compose files check whether Azurite's port is open.
COPY --from=build /bin/busybox.static /bin/busybox
RUN ["/bin/busybox", "--install", "-s", "/bin"]
RUN mkdir -p -m 1777 /tmp && mkdir -p /data /root /usr/bin && ln -s ../../bin/env /usr/bin/env
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /lazuli/target/dist/lazuli /usr/local/bin/lazuli

# Azurite's names, so that compose files and test libraries made for its image run unchanged.
RUN for name in lazuli-storage azurite azurite-blob azurite-queue azurite-table; do ln -s lazuli "/usr/local/bin/$name"; done
# Some hosts call Node's entry point by name; it runs what it is given.
RUN printf '#!/bin/sh\nexec "$@"\n' > /usr/local/bin/docker-entrypoint.sh && chmod +x /usr/local/bin/docker-entrypoint.sh

LABEL org.opencontainers.image.title="Lazuli" \
      org.opencontainers.image.description="An Azure Storage server: Blob, Data Lake, Queue, Table and File, in the place of Azurite" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.source="https://github.com/lazuli-storage/lazuli" \
      org.opencontainers.image.documentation="https://github.com/lazuli-storage/lazuli/tree/main/docs"

ENV PATH=/usr/local/bin:/usr/bin:/bin
# In a container everything listens to the outside, the File service too, which Azurite's flags do not name.
ENV LAZULI_HOST=0.0.0.0
# The server starts as root, so that it can use any volume and any folder of the host, and switches to the user who owns its folder before it
# serves. A folder that belongs to root is handed over to user 65532.
ENV LAZULI_USER=owner

EXPOSE 10000 10001 10002 10003
VOLUME /data
HEALTHCHECK --interval=5s --timeout=3s --start-period=5s CMD ["lazuli", "--health"]

# No ENTRYPOINT, as in Azurite's image: a command starts with the name of a program.
CMD ["azurite", "-l", "/data", "--blobHost", "0.0.0.0", "--queueHost", "0.0.0.0", "--tableHost", "0.0.0.0"]
