# The service as a container: `docker build -t tenderstock .`, or `buildah build -t tenderstock .`. See docs/install.md.
ARG BUILD_IMAGE=docker.io/library/node:24-bookworm-slim
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

# the packed program, which holds its dependencies in the versions of the lock file
FROM ${BUILD_IMAGE} AS build
WORKDIR /build
COPY . .
# packs the client of Python, which the service hands out
RUN apt-get update -q && apt-get install -y -q --no-install-recommends python3 && rm -rf /var/lib/apt/lists/*
RUN npm ci --no-audit --no-fund && npm pack --pack-destination / \
  && mkdir /package && tar -xzf /tenderstock-*.tgz -C /package --strip-components=1 \
  && cp "$(readlink -f "$(command -v node)")" /node \
  && mkdir /data

FROM ${BASE_IMAGE}
COPY --from=build /node /usr/local/bin/node
COPY --from=build /package /opt/tenderstock
# the volume takes over its owner: 10001 may write there and nowhere else
COPY --from=build --chown=10001:10001 /data /data
ENV MALLOC_ARENA_MAX=2 NODE_ENV=production
USER 10001:10001
VOLUME /data
WORKDIR /data
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/opt/tenderstock/src/bin/tenderstock.cjs"]
CMD ["start", "--no-samples", "--data", "/data", "--api-host", "0.0.0.0", "--json"]
