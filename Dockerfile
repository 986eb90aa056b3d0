# The images of Glovebox. One file for every engine: no BuildKit syntax, so that Docker 20.10's
# classic builder and Podman build it too.
#
#   npm run build                                        bundles dist/image/
#   docker build --target agent -t glovebox/agent-bundled .
#   docker build --target egress-proxy -t glovebox/egress-proxy .
#
# `glovebox build` does the same, skips what is unchanged, and pins the result. Without a registry
# it passes a BASE_IMAGE made from Debian packages (container/base/).
ARG BASE_IMAGE=node:24-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe

FROM ${BASE_IMAGE} AS base
USER 0:0
# passwd and group live where the proxy can write an entry for the session's user: without one
# os.userInfo() throws and git and ssh refuse to work.
# They and the folder belong to the proxy's user, which replaces them; a fresh volume copies that.
RUN set -e; mkdir -p /run/glovebox /opt/glovebox; chmod 0755 /run/glovebox; \
    printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n' > /run/glovebox/passwd; \
    printf 'root:x:0:\nnogroup:x:65534:\n' > /run/glovebox/group; \
    chmod 0644 /run/glovebox/passwd /run/glovebox/group; chown -R 65532:65532 /run/glovebox

FROM base AS egress-proxy
COPY dist/image/egress-proxy.mjs /opt/glovebox/egress-proxy.mjs
RUN chmod 0755 /opt/glovebox && chmod 0444 /opt/glovebox/*.mjs
USER 65532:65532
WORKDIR /
# 58 MB resident at rest instead of 66: no second malloc arena, and one garbage collection after the start.
ENV MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=65536 MALLOC_TOP_PAD_=0
ENTRYPOINT ["node", "--disable-sigusr1", "--expose-gc", "/opt/glovebox/egress-proxy.mjs"]

FROM base AS demo-model
COPY dist/image/demo-model.mjs /opt/glovebox/demo-model.mjs
RUN chmod 0755 /opt/glovebox && chmod 0444 /opt/glovebox/*.mjs
USER 65532:65532
WORKDIR /
ENTRYPOINT ["node", "--disable-sigusr1", "/opt/glovebox/demo-model.mjs"]

FROM base AS tools
# Fetch settings of the building machine, used on a public base and removed again.
COPY container/base/host /tmp/glovebox-host
COPY container/base/install-tools.sh /tmp/install-tools.sh
# /root is opened, since a project below a host's /root is mounted there and owned by another uid.
# The copy of Node is for PID 1: nobody may read it, so the kernel lets no process of the same user
# look into init's memory or stop it by a debugger.
RUN set -e; sh /tmp/install-tools.sh; rm -rf /tmp/glovebox-host /tmp/install-tools.sh; \
    cp "$(readlink -f "$(command -v node)")" /opt/glovebox/init-node; \
    chown 0:0 /opt/glovebox/init-node; chmod 0111 /opt/glovebox/init-node; \
    rm -f /etc/passwd- /etc/group-; \
    ln -sf /run/glovebox/passwd /etc/passwd; ln -sf /run/glovebox/group /etc/group; \
    chmod 0755 /root; mkdir -p /home/agent /var/lib/agent; chmod 1777 /home/agent /var/lib/agent

FROM tools AS agent
COPY dist/image/init.mjs dist/image/agent.mjs /opt/glovebox/
RUN chmod 0755 /opt/glovebox && chmod 0444 /opt/glovebox/*.mjs
ENV HOME=/home/agent
WORKDIR /home/agent
ENTRYPOINT ["/opt/glovebox/init-node", "--disable-sigusr1", "/opt/glovebox/init.mjs"]
CMD ["node", "/opt/glovebox/agent.mjs"]

# node_modules are installed on the host by `npm ci` from the committed lock files, so that the
# machine's npm settings (mirror, proxy, CA) hold, and nothing is fetched in here.
FROM agent AS agent-claude
COPY container/claude/ /opt/agent/
COPY container/claude/managed-settings.json /etc/claude-code/managed-settings.json
CMD ["node", "/opt/agent/node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js"]

FROM agent AS agent-codex
COPY container/codex/ /opt/agent/
COPY container/codex/config.toml /etc/codex/config.toml
COPY container/codex/default.rules /etc/codex/rules/default.rules
COPY container/codex/bwrap /usr/local/bin/bwrap
RUN chmod 0755 /usr/local/bin/bwrap
CMD ["node", "/opt/agent/node_modules/@agentclientprotocol/codex-acp/dist/index.js"]

FROM agent AS agent-gemini
COPY container/gemini/ /opt/agent/
CMD ["node", "/opt/agent/start.mjs", "--acp"]

FROM agent AS agent-opencode
COPY container/opencode/ /opt/agent/
CMD ["/opt/agent/node_modules/opencode-linux-x64-baseline/bin/opencode", "acp"]
