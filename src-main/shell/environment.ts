/** What would have connections trust more, or write down their keys. */
const ofConnections = [
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NODE_EXTRA_CA_CERTS',
  'SSLKEYLOGFILE',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'OPENSSL_CONF',
] as const

/** What would have a program of ours run something else. A checkout needs it for its runtime. */
const ofPrograms = ['NODE_OPTIONS', 'ELECTRON_RUN_AS_NODE'] as const

/**
 * Takes out of the environment what loosens TLS, so that neither this process nor any that it starts goes by it. Has to
 * happen before anything connects. The installed app has fuses for what is read before this runs
 * (docs/decisions/environment.md).
 */
export function dropLoosening(environment: Record<string, string | undefined>, packaged: boolean): void {
  const names = packaged ? [...ofConnections, ...ofPrograms] : ofConnections
  for (const name of names) Reflect.deleteProperty(environment, name)
}
