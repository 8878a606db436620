//! What is not answered.

use serde_json::json;

use crate::served::{Served, TOKEN};

#[test]
fn nobody_else_is_answered() {
    let served = Served::new();
    let address = served.address;
    let ask =
        |head: &str| served.send(&format!("GET /api/profile HTTP/1.1\r\n{head}\r\nConnection: close\r\n\r\n")).status;
    let token = format!("Authorization: Bearer {TOKEN}");
    assert_eq!(ask(&format!("Host: {address}\r\n{token}")), 200);
    assert_eq!(ask(&format!("Host: {address}")), 403);
    assert_eq!(ask(&format!("Host: {address}\r\nAuthorization: Bearer wrong")), 403);
    assert_eq!(ask(&format!("Host: evil.example\r\n{token}")), 403);
    assert_eq!(ask(&format!("Host: {address}\r\n{token}\r\nOrigin: http://evil.example")), 403);
}

#[test]
fn odd_requests_are_refused() {
    let served = Served::new();
    for (path, status) in [
        ("/api/ranks/99/timeline", 404),
        ("/api/ranks/x/timeline", 400),
        ("/api/ranks/0/slices/999999999", 404),
        ("/api/ranks/0/tiles/99/0?lanes=1", 400),
        ("/api/ranks/0/tiles/5/0?lanes=a", 400),
        ("/api/ranks/0/tiles/54/9223372036854775807?lanes=999", 200),
        ("/../../etc/passwd", 404),
        ("/%2e%2e/%2e%2e/etc/passwd", 404),
    ] {
        assert_eq!(served.get(path).status, status, "{path}");
    }
    assert_eq!(served.post("/api/statistics", &json!({"ranks": "x"})).status, 400);
    let huge = json!({"ranks": [], "begin": 0, "end": 0, "more": "x".repeat(2 << 20)});
    assert_eq!(served.post("/api/statistics", &huge).status, 413);
}

#[test]
fn every_refusal_says_why_in_both_languages() {
    let served = Served::new();
    let address = served.address;
    let ask = |head: &str| served.send(&format!("GET /api/profile HTTP/1.1\r\n{head}\r\nConnection: close\r\n\r\n"));
    let token = format!("Authorization: Bearer {TOKEN}");
    for (what, answer, id) in [
        ("no token", ask(&format!("Host: {address}")), "server-refused-token"),
        ("host", ask(&format!("Host: evil.example\r\n{token}")), "server-refused-host"),
        ("origin", ask(&format!("Host: {address}\r\n{token}\r\nOrigin: http://evil.example")), "server-refused-origin"),
        ("address", served.get("/api/nothing"), "server-no-address"),
        ("rank", served.get("/api/ranks/99/timeline"), "view-no-rank"),
        ("no number", served.get("/api/ranks/x/timeline"), "server-request-invalid"),
        ("nothing asked", served.get("/api/search"), "server-request-invalid"),
        ("method", served.post("/api/profile", &json!({})), "server-request-invalid"),
        ("body", served.post("/api/statistics", &json!({"ranks": "x"})), "server-request-invalid"),
        ("slice", served.get("/api/ranks/0/slices/999999999"), "server-no-slice"),
        ("view", served.get("/api/tables/weather"), "server-no-view"),
        ("parameter", served.get("/api/tables/steps?weather=1"), "view-no-parameter"),
        ("duration", served.get("/api/search?text=dur%3Emuch"), "search-duration"),
        ("ranks", served.get("/api/search?text=rank:a"), "search-ranks"),
    ] {
        assert!((400..500).contains(&answer.status), "{what}: {}", answer.status);
        let error = &answer.json()["error"];
        assert_eq!(error["id"], id, "{what}: {error}");
        let text = |language: &str| error["text"][language].as_str().unwrap_or_default().to_owned();
        assert!(text("en").is_ascii() && !text("en").is_empty(), "{what}: {error}");
        assert!(text("zh").contains(|letter: char| ('\u{4e00}'..'\u{9fff}').contains(&letter)), "{what}: {error}");
    }
    let page = served.send(&format!("GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"));
    let page = String::from_utf8(page.body).unwrap();
    assert!(page.contains("lang=en") && page.contains("lang=zh-CN"), "{page}");
}

#[test]
fn files_outside_the_pages_are_not_served() {
    let pages = tempfile::tempdir().unwrap();
    std::fs::create_dir(pages.path().join("pages")).unwrap();
    std::fs::write(pages.path().join("secret"), "secret").unwrap();
    std::fs::write(pages.path().join("pages/page.js"), "page").unwrap();
    let served = Served::with_pages(Some(pages.path().join("pages")));
    assert_eq!(served.get("/page.js").body, b"page");
    let outside = pages.path().join("secret");
    let absolute = format!("/{}", outside.display());
    for path in [
        "/../secret",
        "/..%2fsecret",
        "/%2e%2e/secret",
        "/./../secret",
        "/pages/../../secret",
        &absolute,
        "/%00",
        "/api/nothing",
    ] {
        let answer = served.get(path);
        assert!((400..500).contains(&answer.status), "{path}: {}", answer.status);
        assert!(!answer.body.windows(6).any(|part| part == b"secret"), "{path}");
    }
}

#[test]
fn the_page_may_load_nothing_from_elsewhere() {
    let served = Served::new();
    let head = served.get("/").head.to_lowercase();
    assert!(head.contains("content-security-policy: default-src 'self'"), "{head}");
    assert!(
        head.contains("x-content-type-options: nosniff") && head.contains("referrer-policy: no-referrer"),
        "{head}"
    );
    assert!(head.contains("httponly") && head.contains("samesite=strict"), "{head}");
}

#[test]
fn broken_requests_do_not_end_the_server() {
    let served = Served::new();
    for request in [
        "GET /\r\n\r\n",
        "POST /api/query HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "\0\0\0\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
    ] {
        served.send_anything(request);
    }
    let long = "a".repeat(200_000);
    served.send_anything(&format!("GET /{long} HTTP/1.1\r\nHost: {}\r\n\r\n", served.address));
    assert_eq!(served.get("/api/profile").status, 200);
}
