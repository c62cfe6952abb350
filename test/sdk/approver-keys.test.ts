import { createPrivateKey, createPublicKey, createSecretKey, generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { fingerprintOf, generateApproverKey, InvalidArgumentError } from 'holdpoint';
import { approversOf, deciderOf } from '../../sdk/approver-keys.js';

const { privateKey, publicKey, fingerprint } = generateApproverKey();
const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
const x25519 = generateKeyPairSync('x25519');
const pem = (key: typeof rsa.publicKey): string =>
  key.type === 'public'
    ? key.export({ type: 'spki', format: 'pem' }).toString()
    : key.export({ type: 'pkcs8', format: 'pem' }).toString();
const encrypted = createPrivateKey(privateKey).export({
  type: 'pkcs8',
  format: 'pem',
  cipher: 'aes-256-cbc',
  passphrase: 'p',
});

describe('the keys of approvers', () => {
  it('A7: are made as a pair of PEM texts, with the fingerprint that a decision’s signer says', () => {
    expect(privateKey).to.match(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(publicKey).to.match(/^-----BEGIN PUBLIC KEY-----\n/);
    expect(fingerprint).to.match(/^[0-9a-f]{64}$/);
    expect(generateApproverKey().fingerprint).not.to.equal(fingerprint);
    for (const key of [publicKey, `\n${publicKey}\r\n`, createPublicKey(publicKey)]) {
      expect(fingerprintOf(key)).to.equal(fingerprint);
    }
    for (const key of [privateKey, createPrivateKey(privateKey)]) {
      expect(deciderOf(key, null)?.fingerprint).to.equal(fingerprint);
    }
  });

  const wrongEither = {
    'of another kind': { public: pem(rsa.publicKey), private: pem(rsa.privateKey) },
    'for agreeing on keys': { public: pem(x25519.publicKey), private: pem(x25519.privateKey) },
    'of another kind, as a KeyObject': { public: rsa.publicKey, private: rsa.privateKey },
    'of the other half': { public: privateKey, private: publicKey },
    'of the other half, as a KeyObject': { public: createPrivateKey(privateKey), private: createPublicKey(publicKey) },
    'with both halves': { public: publicKey + privateKey, private: privateKey + publicKey },
    encrypted: { public: encrypted, private: encrypted },
    'that is shared': { public: createSecretKey(Buffer.alloc(32)), private: createSecretKey(Buffer.alloc(32)) },
    'cut short': { public: publicKey.slice(0, -40), private: privateKey.slice(0, -40) },
    'that is no key': { public: 'hunter2', private: 'hunter2' },
    'that is a number': { public: 42, private: 42 },
    'that is null': { public: null, private: null },
  };
  for (const [what, wrong] of Object.entries(wrongEither)) {
    it(`A7: one ${what} is refused, with what to give and nothing of what was given`, () => {
      const reads = [
        {
          read: () => approversOf([publicKey, wrong.public]),
          says: /^approvers\[1\] must be an Ed25519 public key.*SPKI/,
        },
        { read: () => fingerprintOf(wrong.public as string), says: /^publicKey must be an Ed25519 public key.*SPKI/ },
        { read: () => deciderOf(wrong.private, null), says: /^key must be an Ed25519 private key.*PKCS#8/ },
      ];
      for (const { read, says } of reads) {
        expect(read).to.throw(InvalidArgumentError, says);
        try {
          read();
        } catch (error) {
          const { message, cause, stack } = error as Error;
          expect(cause).to.equal(undefined);
          expect(message + String(stack)).not.to.match(/hunter2|MC4CAQ|MCowBQ|MIIC/);
        }
      }
    });
  }

  it('A7: an empty list would lock everybody out, and is refused; none asks for no signatures', () => {
    for (const wrong of [[], publicKey, {}, null]) {
      expect(() => approversOf(wrong)).to.throw(InvalidArgumentError, /approvers must be a list of at least one/);
    }
    expect(approversOf(undefined)).to.equal(null);
    expect([...(approversOf([publicKey, publicKey]) ?? []).keys()]).to.deep.equal([fingerprint]);
  });
});
