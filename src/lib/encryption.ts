import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Seals secrets that must be read again, such as a source's signing secret. */
export type Vault = {
  seal: (plaintext: string) => Buffer;
  open: (sealed: Buffer) => string;
  /** Tells two keys apart without giving either away. */
  fingerprint: string;
};

const nonceBytes = 12;
const tagBytes = 16;

/** A vault over AES-256-GCM. `key` is 32 bytes. Opening what another key sealed, or what was altered, throws. */
export function createVault(key: Buffer): Vault {
  return {
    seal: (plaintext) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    open: (sealed) => {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes));
      decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
      return (
        decipher.update(sealed.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
      );
    },
    fingerprint: createHash('sha256')
      .update('runcost key fingerprint')
      .update(key)
      .digest('hex')
      .slice(0, 16),
  };
}
