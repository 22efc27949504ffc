use super::*;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_is_made_and_replaced_and_nothing_is_left_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    write(&path, b"one, and more").unwrap();
    write(&path, b"two").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(names(folder.path()), ["report.json"]);
}

#[test]
fn what_cannot_be_written_says_why_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Target::of(&folder.path().join("no/such/report.json")).unwrap_err();
    assert!(missing.to_string().contains("does not exist"), "{missing}");
    let is_folder = Target::of(folder.path()).unwrap_err();
    assert_eq!(is_folder.kind(), ErrorKind::IsADirectory);
    fs::write(folder.path().join("file"), "").unwrap();
    assert!(Target::of(&folder.path().join("file/report.json")).is_err());
    assert!(Target::of(Path::new("")).is_err());
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    #[test]
    fn permissions_stay_and_new_files_have_the_usual_ones() {
        let folder = tempfile::tempdir().unwrap();
        let (path, usual) = (folder.path().join("report"), folder.path().join("usual"));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        write(&path, b"one").unwrap();
        File::create(&usual).unwrap();
        assert_eq!(mode(&path), mode(&usual));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let before = fs::metadata(&path).unwrap().ino();
        write(&path, b"two").unwrap();
        assert_eq!(mode(&path), 0o640);
        assert_ne!(fs::metadata(&path).unwrap().ino(), before, "it is another file");
    }

    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("deep")).unwrap();
        symlink("deep/report", folder.path().join("link")).unwrap();
        symlink("link", folder.path().join("twice")).unwrap();
        let link = folder.path().join("twice");
        write(&link, b"new where nothing was").unwrap();
        write(&link, b"again").unwrap();
        assert_eq!(fs::read(folder.path().join("deep/report")).unwrap(), b"again");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(names(folder.path()), ["deep", "link", "twice"]);
        symlink("circle", folder.path().join("circle")).unwrap();
        assert!(write(&folder.path().join("circle"), b"").is_err());
    }

    #[test]
    fn what_is_no_regular_file_is_written_as_it_is() {
        write(Path::new("/dev/null"), b"nothing").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        assert!(matches!(Target::of(Path::new("/dev/stdout")).unwrap(), Target::Stdout));
        assert!(matches!(Target::of(Path::new("/dev/fd/2")).unwrap(), Target::Stderr));
        assert!(matches!(Target::of(Path::new("/proc/self/fd/7")).unwrap(), Target::Stream(_)));
        if Path::new("/dev/full").exists() {
            assert!(write(Path::new("/dev/full"), b"text").is_err());
        }
    }
}
