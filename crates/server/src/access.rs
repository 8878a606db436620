//! Who may ask: the user who started the server, from a page that the server gave out.

use std::io;
use std::net::SocketAddr;

use axum::http::header::{AUTHORIZATION, COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, Uri};

/// Bytes of a token, before they are spelled out.
const TOKEN_BYTES: usize = 24;

/// The port of addresses that name none.
const IMPLIED_PORT: u16 = 80;

/// What a request must have to be answered.
#[derive(Clone, Debug)]
pub struct Access {
    token: String,
    /// What `Host` may say.
    hosts: Vec<String>,
    /// Whether `Host` may be any address at this port: a page of another site can have its name point here, but not an
    /// address.
    any_address: bool,
    port: u16,
    cookie: String,
}

/// Why a request is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Asked under a name that is not the server's: a page of another site that had its name point here.
    ForeignHost,
    /// Asked by a page of another site.
    ForeignOrigin,
    /// Without the token, or with another.
    NoToken,
}

/// A token that nobody can guess.
pub fn random_token() -> io::Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Access {
    /// Of a server at `address`.
    pub fn new(token: String, address: SocketAddr) -> Access {
        let port = address.port();
        let mut hosts = vec![address.to_string()];
        let any_address = address.ip().is_unspecified();
        if any_address || address.ip().is_loopback() {
            hosts.extend(["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}")));
        }
        Access { token, hosts, any_address, port, cookie: format!("npuscope_{port}") }
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    /// The cookie that a page gets which came with the token.
    pub fn set_cookie(&self) -> String {
        format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie, self.token)
    }

    /// Whether a request may be answered.
    pub fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let text = |name| headers.get(name).and_then(|value: &axum::http::HeaderValue| value.to_str().ok());
        let host = text(HOST).unwrap_or_default();
        // Browsers leave out the port that is implied.
        let with_port = format!("{host}:{IMPLIED_PORT}");
        let host = if self.port == IMPLIED_PORT && !host.ends_with(":80") { with_port.as_str() } else { host };
        let is_address = || host.parse::<SocketAddr>().is_ok_and(|address| address.port() == self.port);
        let is_named = self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host));
        let is_ours = is_named || (self.any_address && is_address());
        if !is_ours {
            return Err(Refusal::ForeignHost);
        }
        if let Some(origin) = headers.get(ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            let asked_by = origin.strip_prefix("http://").unwrap_or_default();
            let asked_by =
                if self.port == IMPLIED_PORT { asked_by.strip_suffix(":80").unwrap_or(asked_by) } else { asked_by };
            let ours = if self.port == IMPLIED_PORT { host.strip_suffix(":80").unwrap_or(host) } else { host };
            if asked_by.is_empty() || !asked_by.eq_ignore_ascii_case(ours) {
                return Err(Refusal::ForeignOrigin);
            }
        }
        let of_query = uri.query().into_iter().flat_map(|query| query.split('&'));
        let of_query = of_query.filter_map(|pair| pair.strip_prefix("token="));
        let of_header = text(AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
        let of_cookie = text(COOKIE).into_iter().flat_map(|cookies| cookies.split(';'));
        let of_cookie = of_cookie.filter_map(|pair| pair.trim().strip_prefix(self.cookie.as_str())?.strip_prefix('='));
        let mut given = of_query.chain(of_header).chain(of_cookie);
        if given.any(|token| constant_time_eq(token.as_bytes(), self.token.as_bytes())) {
            Ok(())
        } else {
            Err(Refusal::NoToken)
        }
    }
}

/// Whether two tokens are the same, compared in constant time.
fn constant_time_eq(given: &[u8], expected: &[u8]) -> bool {
    given.len() == expected.len() && given.iter().zip(expected).fold(0, |wrong, (a, b)| wrong | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(uri: &str, headers: &[(&str, &str)]) -> Result<(), Refusal> {
        check_at("127.0.0.1:8000", uri, headers)
    }

    fn check_at(address: &str, uri: &str, headers: &[(&str, &str)]) -> Result<(), Refusal> {
        let access = Access::new("secret".to_owned(), address.parse().unwrap());
        let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        access.check(&uri.parse().unwrap(), &headers)
    }

    #[test]
    fn only_the_token_from_the_own_page_is_let_in() {
        let host = ("host", "localhost:8000");
        assert_eq!(check("/?token=secret", &[host]), Ok(()));
        assert_eq!(check("/", &[host, ("authorization", "Bearer secret")]), Ok(()));
        assert_eq!(check("/", &[host, ("cookie", "a=b; npuscope_8000=secret")]), Ok(()));
        assert_eq!(check("/?token=secret", &[host, ("origin", "http://localhost:8000")]), Ok(()));
        assert_eq!(check("/", &[host]), Err(Refusal::NoToken));
        assert_eq!(check("/?token=secre", &[host]), Err(Refusal::NoToken));
        assert_eq!(check("/", &[host, ("cookie", "npuscope_8001=secret")]), Err(Refusal::NoToken));
        assert_eq!(check("/?token=secret", &[]), Err(Refusal::ForeignHost));
        assert_eq!(check("/?token=secret", &[("host", "evil.example:8000")]), Err(Refusal::ForeignHost));
        assert_eq!(check("/?token=secret", &[("host", "localhost:9")]), Err(Refusal::ForeignHost));
        for origin in ["http://evil.example", "https://localhost:8000", "null", "http://localhost:80001"] {
            assert_eq!(check("/?token=secret", &[host, ("origin", origin)]), Err(Refusal::ForeignOrigin), "{origin}");
        }
    }

    #[test]
    fn a_server_at_all_addresses_goes_by_none_but_addresses() {
        let check = |host: &str| check_at("0.0.0.0:8000", "/?token=secret", &[("host", host)]);
        assert_eq!(check("10.1.2.3:8000"), Ok(()));
        assert_eq!(check("localhost:8000"), Ok(()));
        assert_eq!(check("10.1.2.3:8001"), Err(Refusal::ForeignHost));
        assert_eq!(check("evil.example:8000"), Err(Refusal::ForeignHost));
    }

    #[test]
    fn a_port_that_is_implied_is_left_out() {
        let headers = [("host", "localhost"), ("origin", "http://localhost")];
        assert_eq!(check_at("127.0.0.1:80", "/?token=secret", &headers), Ok(()));
        assert_eq!(check_at("127.0.0.1:80", "/?token=secret", &[("host", "evil.example")]), Err(Refusal::ForeignHost));
    }

    #[test]
    fn tokens_differ() {
        assert_ne!(random_token().unwrap(), random_token().unwrap());
        assert_eq!(random_token().unwrap().len(), 2 * TOKEN_BYTES);
    }
}
