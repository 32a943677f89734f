/**
 * Routes in the fragment: the server has one page for all of them, and what a route names (ids)
 * is sent to nobody by the browser itself.
 */
import { useEffect, useState } from 'preact/hooks';

export interface Route {
  /** `alerts` of `#/alerts/0190…?status=open` */
  readonly page: string;
  readonly id: string | undefined;
  readonly query: Readonly<Record<string, string>>;
}

export function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [page = '', id] = path.split('/').map(decodeURIComponent);
  return {
    id,
    page: page === '' ? 'start' : page,
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

export function routeTo(page: string, id?: string, query: Route['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const text = new URLSearchParams(given).toString();
  const path = id === undefined ? page : `${page}/${encodeURIComponent(id)}`;
  return `#/${path}${text === '' ? '' : `?${text}`}`;
}

export function go(hash: string): void {
  location.hash = hash;
}

/** The route of the address, and again whenever it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const onChange = (): void => setRoute(readRoute(location.hash));
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return route;
}
