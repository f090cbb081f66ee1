// java Verify.java SECRET ID TIMESTAMP SIGNATURES < body; ends with 0 when the webhook is genuine.
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Verify {
  private static final long TOLERANCE_SECONDS = 300;

  /** Whether laurel sent this body: the bytes of the request, unparsed. */
  static boolean verify(String secret, String id, String timestamp, String signatures, byte[] body)
      throws GeneralSecurityException {
    long age = System.currentTimeMillis() / 1000 - Long.parseLong(timestamp);
    if (Math.abs(age) > TOLERANCE_SECONDS) return false;
    byte[] key = Base64.getDecoder().decode(secret.replace("whsec_", ""));
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
    byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
    for (String given : signatures.split(" ")) {
      if (MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), expected)) return true;
    }
    return false;
  }

  public static void main(String[] args) throws Exception {
    System.exit(verify(args[0], args[1], args[2], args[3], System.in.readAllBytes()) ? 0 : 1);
  }
}
