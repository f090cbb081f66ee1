import { ServiceError } from '../../base/errors.ts';

/** Refusals without anything but a message. */
export const invalid = (message: string): ServiceError => new ServiceError('invalid', message);
export const notFound = (message: string): ServiceError => new ServiceError('notFound', message);
