/** Takes what looks like a secret out of what is written down. */

// Each is the documented form of a credential; a long random word alone is not enough.
const SECRETS = [
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\bgh[opusr]_[A-Za-z0-9]{30,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{30,}/g,
  /\bglpat-[A-Za-z0-9_-]{20,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\bAIza[A-Za-z0-9_-]{35}/g,
  /\bnpm_[A-Za-z0-9]{36}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g,
]
const BEARER = /\b(authorization["']?\s*[:=]\s*["']?(?:bearer|basic)\s+)[A-Za-z0-9+/=_.~-]{8,}/gi

/** @param known secrets that are taken out wherever they stand, such as the model's key. */
export function redact(text: string, known: string[]): string {
  let clean = text
  for (const secret of known) if (secret.length >= 8) clean = clean.replaceAll(secret, '***')
  for (const pattern of SECRETS) clean = clean.replaceAll(pattern, '***')
  return clean.replaceAll(BEARER, '$1***')
}

/** The same value with every string in it redacted. */
export function redactAll(value: unknown, known: string[]): unknown {
  if (typeof value === 'string') return redact(value, known)
  if (Array.isArray(value)) return value.map((item) => redactAll(item, known))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, redactAll(item, known)]),
  )
}
