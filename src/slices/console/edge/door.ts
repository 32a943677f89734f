/** The way of the console to the operations: `/console/api/v1/...`, by the cookie of a session. */
import { callingLogin, requireFresh } from '#slices/console';
import type { Door } from '../../../api/ports.ts';
import { type ConsoleCalls, cookiesOf, requireCookie, requireOwnPage } from './browserCall.ts';

export const consoleDoor = (calls: ConsoleCalls): Door => ({
  async authenticate(request) {
    requireOwnPage(calls, request);
    // A page that is left open follows its stream by itself: that keeps no session alive.
    const isAtWork = request.header('accept') !== 'text/event-stream';
    const cookie = requireCookie(calls, request);
    const ports = calls.ports();
    const { login, principal } = await callingLogin(ports, cookie, isAtWork);
    requireFresh(login, request, ports.clock.now());
    return principal;
  },
  credentialOf: (request) => cookiesOf(calls, request)[0],
  prefix: '/console/api',
});
