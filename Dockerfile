# The server in a container: docs/how-to/deploy.md
FROM node:24-bookworm-slim AS build
WORKDIR /runcost
COPY package.json package-lock.json ./
COPY web/package.json web/
# Not `npm ci`: docs/decisions/0005-runtime-from-npm.md
RUN npm install --ignore-scripts --no-audit --no-fund --no-save --no-update-notifier
COPY . .
RUN node web/build.ts && node scripts/build.ts

FROM node:24-bookworm-slim AS dependencies
WORKDIR /runcost
COPY package.json package-lock.json ./
# With the optional packages, which include the programs of PostgreSQL, but without the Node among them, and without those that
# build the pages.
RUN npm install --omit=dev --workspaces=false --ignore-scripts --no-audit --no-fund --no-save --no-update-notifier \
  && rm -rf node_modules/node-linux-*

FROM node:24-bookworm-slim
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Runcost" \
  org.opencontainers.image.description="Know what CI/CD costs, to the last job, before the bill arrives." \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
WORKDIR /runcost
COPY --from=dependencies /runcost/node_modules node_modules
COPY --from=build /runcost/dist dist
COPY --from=build /runcost/web/dist web/dist
COPY package.json LICENSE bin.mjs launch.mjs ./
COPY migrations migrations
# Makes the links that PostgreSQL's libraries need, which a read-only file system would refuse later. Fails without its programs.
RUN node -e "import('/runcost/dist/platform/postgres/programs.js').then(({ findPrograms }) => findPrograms(null))"
# The user has a name, without which PostgreSQL creates no database.
RUN ln -s /runcost/bin.mjs /usr/local/bin/runcost \
  && groupadd --gid 10001 runcost && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin runcost \
  && install -d -o 10001 -g 10001 -m 0700 /data
# By number, so that Kubernetes sees that it is not root.
USER 10001:10001
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node itself is the first process: it gets the signals, and the server handles them.
ENTRYPOINT ["node", "/runcost/bin.mjs"]
CMD ["serve"]
