import { errors, type JWTVerifyGetKey } from 'jose';
import { ServiceError } from '../../base/errors.ts';

/**
 * The same public keys, where a failure to read them is told from a token that none of them has signed.
 * @param name of the keys, for the message of ServiceError `unavailable`
 */
export function readableKeys(keys: JWTVerifyGetKey, name: string): JWTVerifyGetKey {
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (error) {
      const isOfToken = [
        errors.JWKSNoMatchingKey,
        errors.JWKSMultipleMatchingKeys,
        errors.JOSENotSupported,
      ].some((kind) => error instanceof kind);
      if (isOfToken) throw error;
      throw new ServiceError('unavailable', `The keys of ${name} cannot be read now`);
    }
  };
}
